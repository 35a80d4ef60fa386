/** One answer as a stream of events. */
import {
  type Event,
  EventType,
  type Message,
  PROTOCOL_VERSION,
  type RunAgentInput,
  type TokenUsage,
} from "@ag-ui/core";
import { EventEncoder } from "@ag-ui/encoder";
import { WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { refusalOf } from "../http/answer-error.js";
import type { HttpError } from "../http/http-error.js";
import type { Usage } from "../shown/agent-calls.js";
import { codeOf } from "../shown/run-facts.js";
import { UntilWaiting } from "../shown/until-waiting.js";
import { liveResponse } from "../stream/live-response.js";
import { newId } from "../system.js";
import { interruptOf, isForClient } from "./interrupts.js";
import { Progress } from "./progress.js";
import { RunView } from "./run-view.js";
import { type OpenThreads, turnNumber } from "./threads.js";

export interface AnswerStream {
  readonly handle: RunHandle;
  readonly input: RunAgentInput;
  /** The messages of the thread before the answer. */
  readonly before: readonly Message[];
  /** The client has what the run has shown up to this event. @default -1: nothing is shown yet */
  readonly skipTo?: number;
  /** `true`: the client gets all messages first, as it may have others. */
  readonly isJoined: boolean;
  /** Calls whose result the client has itself. */
  readonly answered?: ReadonlySet<string>;
}

/** A client that leaves ends the reading, and not the run. */
export function streamAnswer(open: OpenThreads, stream: AnswerStream): Response {
  return eventResponse((signal) => answerEvents(open, stream, signal));
}

const heartbeatMs = 15_000;

function eventResponse(read: (signal: AbortSignal) => AsyncIterator<Event>): Response {
  const encoder = new EventEncoder();
  return liveResponse<Event>({
    format: "sse",
    heartbeatMs,
    onOpen: () => () => {}, // the door counts its streams
    onError: () => {}, // only what is passing gets here
    open: read,
    text: (event) => encoder.encodeSSE(event),
    isPassing: () => false,
  });
}

/** A refusal in the form of the protocol. */
export function refusalStream({ options }: HttpError): Response {
  const { code, detail, hint, issues } = options;
  const metadata = {
    ...(hint !== undefined && { hint }),
    ...(issues !== undefined && { issues: issues.slice(0, 50) }),
  };
  const message = `${detail}${hint === undefined ? "" : ` ${hint}`}`.slice(0, 2_000);
  return eventResponse(async function* (): AsyncGenerator<Event> {
    yield { type: EventType.RUN_ERROR, message, code, metadata };
  });
}

async function* answerEvents(
  open: OpenThreads,
  stream: AnswerStream,
  left: AbortSignal,
): AsyncGenerator<Event, undefined> {
  const { threadId, runId } = stream.input;
  yield { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION };
  const ended = new AbortController();
  const signal = AbortSignal.any([left, ended.signal]);
  try {
    yield* runEvents(open, stream, signal);
  } catch (error) {
    // The connection breaks off with the process: its client comes back.
    if (left.aborted || WorkflowError.is(error, "RUNTIME_STOPPED")) throw error;
    yield unexpected(open, stream, error);
  } finally {
    ended.abort();
  }
}

function unexpected({ log }: OpenThreads, { handle }: AnswerStream, error: unknown): Event {
  const known = refusalOf(error, { method: "POST", path: handle.runId });
  if (known !== null) return { type: EventType.RUN_ERROR, message: known.options.detail, code: known.options.code };
  const id = newId();
  log.error(`The answer of run "${handle.runId}" cannot be read (${id}).`, error);
  return { type: EventType.RUN_ERROR, message: `Something went wrong here (${id}).`, code: "INTERNAL" };
}

async function* runEvents(open: OpenThreads, stream: AnswerStream, signal: AbortSignal): AsyncGenerator<Event> {
  const { handle, before, skipTo = -1, isJoined, answered = new Set<string>(), input } = stream;
  const { runtime, map, show } = open;
  const view = new RunView({ runId: handle.runId, turn: turnNumber(handle), before, map, answered });
  const progress = new Progress({ runtime, handle, show, isJoined: skipTo >= 0 });
  const reading = new UntilWaiting(handle, signal);
  let usage: Usage = view.calls.usage;
  let isLive = false;
  const begin = (): Event[] => {
    isLive = true;
    usage = view.calls.usage;
    view.writer.take();
    if (isJoined) {
      const all = [...ownFirst(input.messages, before), ...view.writer.list.all];
      if (!isInOrder(input.messages, all)) view.writer.replaceWith([]);
      view.writer.replaceWith([...all, ...lostReasoning(input.messages, all)]);
    }
    view.writer.reopen();
    return view.writer.take();
  };
  if (skipTo < 0) yield* begin();
  for await (const part of merged(reading[Symbol.asyncIterator](), progress.looks(signal))) {
    yield* isLive ? progress.take() : [];
    if (part === "looked") continue;
    const isNew = part.sequence > skipTo;
    if (isNew && !isLive) yield* begin();
    view.take(part);
    if (isLive) yield* view.writer.take();
    else if (part.sequence === skipTo) yield* begin();
    if (view.end !== null) break;
  }
  if (!isLive) yield* begin();
  await progress.look();
  progress.close();
  yield* progress.take();
  yield* finish(open, stream, { view, reading, usage: usageDifference(view.calls.usage, usage) });
}

interface Ending {
  readonly view: RunView;
  readonly reading: UntilWaiting;
  readonly usage: TokenUsage[];
}

function* finish(open: OpenThreads, { input }: AnswerStream, { view, reading, usage }: Ending): Generator<Event> {
  const { end, writer } = view;
  const ids = { threadId: input.threadId, runId: input.runId };
  const reported = usage.length > 0 ? { usage } : {};
  if (end?.type === "error") {
    yield* writer.take();
    const code = codeOf(end.error);
    yield { type: EventType.RUN_ERROR, message: open.errorText(end.error), code, ...reported };
    return;
  }
  const prompts = end === null ? reading.openPrompts : [];
  const interrupts = prompts
    .filter((prompt) => !isForClient(prompt))
    .map((prompt) => interruptOf(prompt, open.facts, view.callOf(prompt)));
  if (end === null) view.suspend(interrupts);
  yield* writer.take();
  const finished = { type: EventType.RUN_FINISHED as const, ...ids, ...reported };
  // Clients from before 1.0 refuse what they do not know of an outcome.
  const isOfOne = input.protocolVersion !== undefined;
  if (end?.type === "cancelled") yield { ...finished, ...(isOfOne && { outcome: { type: "cancelled" } }) };
  else if (interrupts.length > 0) yield { ...finished, outcome: { type: "interrupt", interrupts } };
  else {
    const pendingToolCallIds = prompts.flatMap((prompt) => view.callOf(prompt)?.toolCallId ?? []);
    const outcome = {
      type: "success" as const,
      ...(isOfOne && pendingToolCallIds.length > 0 && { pendingToolCallIds }),
    };
    yield { ...finished, ...(end !== null && { result: end.result }), outcome };
  }
}

/** Messages at the beginning that only the client has, such as a greeting: a snapshot would remove them. */
function ownFirst(messages: readonly Message[], known: readonly Message[]): Message[] {
  const ids = new Set(known.map(({ id }) => id));
  const at = messages.findIndex(({ id, role }) => ids.has(id) || role === "user" || role === "tool");
  return at < 0 ? [] : messages.slice(0, at);
}

/**
 * Reasoning that a process has shown that died before it was stored. Clients keep theirs where a snapshot has none, so
 * it is emptied: the next attempt writes it again.
 */
function lostReasoning(given: readonly Message[], all: readonly Message[]): Message[] {
  if (all.some(({ role }) => role === "reasoning")) return [];
  return given.filter((message) => message.role === "reasoning").map((message) => ({ ...message, content: "" }));
}

/** Clients leave what they have where it is, and put what is new behind it. */
function isInOrder(given: readonly Message[], all: readonly Message[]): boolean {
  const known = new Set(all.map(({ id }) => id));
  const kept = given.filter(({ id }) => known.has(id));
  return kept.every(({ id }, at) => all[at]?.id === id);
}

function usageDifference(all: Usage, before: Usage): TokenUsage[] {
  const inputTokens = all.inputTokens - before.inputTokens;
  const outputTokens = all.outputTokens - before.outputTokens;
  const totalTokens = inputTokens + outputTokens;
  return totalTokens === 0 ? [] : [{ inputTokens, outputTokens, totalTokens }];
}

/** Both as they come, until the first has ended. */
async function* merged<Main, Side>(main: AsyncIterator<Main>, side: AsyncIterator<Side>): AsyncGenerator<Main | Side> {
  const nextOf = async <Item>(from: AsyncIterator<Item>, isMain: boolean) => ({ ...(await from.next()), isMain });
  let next = nextOf(main, true);
  let beside: ReturnType<typeof nextOf<Side>> | null = nextOf(side, false);
  try {
    for (;;) {
      const item = await (beside === null ? next : Promise.race([next, beside]));
      if (item.isMain && item.done === true) return;
      if (item.done === true) beside = null;
      else {
        if (item.isMain) next = nextOf(main, true);
        else beside = nextOf(side, false);
        yield item.value as Main | Side;
      }
    }
  } finally {
    for (const pending of [next, beside]) pending?.catch(() => {}); // the reading is aborted
  }
}
