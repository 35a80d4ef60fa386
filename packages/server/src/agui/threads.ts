/** The threads of the caller of one request, at one workflow. */
import type { Message, RunAgentInput } from "@ag-ui/core";
import type { Log } from "millrace";
import type { CallerOptions, RunHandle, Runtime } from "millrace/runtime";
import type { DoorCaller } from "../door/mounted-door.types.js";
import type { AnyRuntime } from "../options.js";
import { Answers, type TurnStatus } from "../shown/answers.js";
import { type Conversation, Conversations, type TurnEntry } from "../shown/conversations.js";
import { UntilWaiting } from "../shown/until-waiting.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import type { AguiInput, AguiRequest, AguiTurn } from "./run-input.js";
import { RunView, type ShowEvent } from "./run-view.js";

/** How a workflow is served. */
export interface ServedWorkflow {
  readonly input: ((turn: AguiTurn) => AguiInput | Promise<AguiInput>) | undefined;
  readonly map: ShowEvent | undefined;
  readonly show: readonly string[];
}

export interface OpenThreads extends ServedWorkflow {
  readonly runtime: Runtime;
  readonly facts: WorkflowFacts;
  readonly tenant: string;
  readonly caller: DoorCaller;
  readonly errorText: (error: unknown) => string;
  readonly log: Log;
  readonly threads: Conversations<AguiRequest, readonly Message[]>;
  readonly answers: Answers<AguiRequest, readonly Message[]>;
}

export type Opening = Omit<OpenThreads, "runtime" | "threads" | "answers"> & { readonly runtime: AnyRuntime };

export function openThreads(opening: Opening): OpenThreads {
  const { tenant, map } = opening;
  const runtime = opening.runtime as Runtime;
  const threads = new Conversations<AguiRequest, readonly Message[]>(runtime, { kind: "agui", tenant });
  const answers = new Answers(runtime, threads, (handle) => answerOf(handle, map));
  return { ...opening, runtime, threads, answers };
}

/** Who does what the request asks for. */
export const sender = ({ caller }: OpenThreads): CallerOptions => ({ by: caller.by("agui") });

/** Names the thread among those of all workflows. */
export const threadKey = (
  { facts }: Pick<OpenThreads, "facts">,
  { threadId }: Pick<RunAgentInput, "threadId">,
): string => `${facts.name}/${threadId}`;

export const runIdOf = ({ id, count }: Conversation): string => `agui/${id}/${count + 1}`;

/** Its place in the thread, which ids of calls begin with. */
export const turnNumber = ({ runId }: Pick<TurnEntry, "runId">): number =>
  Number(runId.slice(runId.lastIndexOf("/") + 1));

async function answerOf(handle: RunHandle, map: ShowEvent | undefined): Promise<readonly Message[]> {
  return (await viewOf(handle, map)).writer.list.all;
}

/** What a run that is not at work has shown. */
export async function viewOf(handle: RunHandle, map: ShowEvent | undefined): Promise<RunView> {
  const { runId } = handle;
  const view = new RunView({ runId, turn: turnNumber(handle), before: [], map, answered: new Set() });
  const reading = new AbortController();
  try {
    for await (const streamed of new UntilWaiting(handle, reading.signal)) {
      view.take(streamed);
      view.writer.take();
      if (view.end !== null) break;
    }
  } finally {
    reading.abort();
  }
  return view;
}

/** The messages of these turns. */
export async function messagesOf(
  { answers }: Pick<OpenThreads, "answers">,
  turns: readonly TurnEntry[],
): Promise<Message[]> {
  const stored = await Promise.all(turns.map((turn) => answers.read(turn)));
  return stored.flatMap(({ message: { message }, answer }) => [message, ...(answer ?? [])]);
}

/** The messages before the answer of the last turn. */
export async function messagesBefore(
  open: Pick<OpenThreads, "answers" | "threads">,
  turns: readonly TurnEntry[],
): Promise<Message[]> {
  const { message: request } = await open.threads.turn(turns.at(-1) as TurnEntry);
  return [...(await messagesOf(open, turns.slice(0, -1))), request.message];
}

/** `true` if a client does not have all of these messages. Results of the client's tools have other ids. */
export function lacks(given: readonly Message[], known: readonly Message[]): boolean {
  const ids = new Set(given.map(({ id }) => id));
  return known.some(({ id, role }) => (role === "user" || role === "assistant") && !ids.has(id));
}

/** Where a thread stands. */
export interface Place {
  readonly thread: Conversation;
  readonly last: TurnEntry;
  readonly status: TurnStatus;
}
