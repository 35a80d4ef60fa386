/**
 * Delivers events, answers and questions from outside to a run in memory, or to one of its children.
 *
 * @module
 */

import type { PendingPrompt } from "../../authoring/handler.types.js";
import type { CompiledWorkflow } from "../../compile/compile.js";
import { acceptedTypes, isExternal, type Routing } from "../../engine/routing.js";
import type { OpenPrompt, RunState, WaitRecord } from "../../engine/state.js";
import { promptClosed, type Receipt, refused, runFinished } from "../../engine/tick.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { AnswerEvent, makeEngineEvent } from "../../event/built-in-events.js";
import { type EventClass, endsRun, fieldsOf, isEvent, type WorkflowEvent } from "../../event/event.js";
import type { DoneBy } from "../../event/event.types.js";
import { copyFields, invalid } from "../../event/event-class.js";
import { type EventRegistry, eventFromFields } from "../../event/event-codec.js";
import { isRecord } from "../../value/kind.js";
import { suggest } from "../../value/option-rules.js";
import { endWriting } from "../attempt/piece-writer.js";
import { inspect } from "../inspect-run.js";
import type { LiveRun } from "../live-run.js";
import { whenAsked } from "../questions.js";

/**
 * Answers exactly this prompt, of the run or of a child. Returns `null` if the run has left memory, so that there is no
 * receipt here.
 */
async function answerPrompt(run: LiveRun, { promptId, fields, ...post }: Answer & Delivery): Promise<Receipt | null> {
  const found = findPrompt(run, promptId);
  if (found === null) return logIfRefused(run, null, closed(run, promptId));
  const answer = answerClass(found.run, found.prompt);
  if (typeof answer === "object") return logIfRefused(found.run, null, answer);
  const isAnswer = answer === (AnswerEvent as EventClass);
  const event = isAnswer ? answerEvent(fields) : eventFromFields(answer, fields);
  const sent = { ...post, event, step: null, promptId };
  const receipt = await (isAnswer ? sendChecked(found.run, sent, found.prompt) : send(found.run, sent));
  // The end of a child does not end the run: it only closes its prompts.
  const isOfChild = found.run !== run && receipt?.status === "refused" && receipt.code === "RUN_FINISHED";
  const said = isOfChild ? closed(run, promptId) : receipt;
  return logIfRefused(found.run, event.type, said && receiptOfAnswer(said));
}

/**
 * Converts the receipt of an answer: the end of a run closes its prompts, so a second click gets `PROMPT_CLOSED`, whether or
 * not the first one ended the run.
 */
export function receiptOfAnswer<Given extends { readonly status: string }>(receipt: Given): Given {
  return "code" in receipt && receipt.code === "RUN_FINISHED" ? { ...receipt, code: "PROMPT_CLOSED" } : receipt;
}

/** One event from outside. */
interface Sent extends Asked, Delivery {
  readonly event: WorkflowEvent;
  readonly step: string | null;
  readonly promptId: string | null;
}

function logIfRefused(run: LiveRun, eventType: string | null, receipt: Receipt | null): Receipt | null {
  if (receipt?.status === "refused" && run.host.inspector.active) {
    const { code, hint } = receipt;
    inspect(run, "event.refused", { eventType, code, hint });
  }
  return receipt;
}

/** Offers the event to the run, and then to its children in turn. */
async function send(run: LiveRun, sent: Sent): Promise<Receipt | null> {
  if (!run.live) return finished(run);
  const receipt = run.host.compiled.registry.has(sent.event) ? await submit(run, sent) : unknownEvent(run, sent.event);
  if (receipt?.status !== "refused" || receipt.code !== "EVENT_NOT_ACCEPTED") return receipt;
  for (const child of run.children?.values() ?? []) {
    const answer = await send(child, sent);
    if (answer?.status !== "refused") return answer;
  }
  // A child that was not asked here may exist where the run is loaded next.
  return run.isEvicted ? null : receipt;
}

function submit(run: LiveRun, sent: Sent): Promise<Receipt | null> {
  return new Promise((resolve) => {
    const { event, step, promptId, by } = sent;
    // The clock of the sender may differ.
    const atMs = Math.min(run.now(), Math.max(run.state.atMs, sent.atMs ?? run.now()));
    const ticket = run.ticket(resolve, sent.ticket);
    run.submit({ type: "event.received", atMs, event, step, promptId, ticket, ...(by !== undefined && { by }) });
  });
}

/** Sends the answer to a question once the schema of the question has accepted it. */
async function sendChecked(run: LiveRun, sent: Sent, { wait }: OpenPrompt): Promise<Receipt | null> {
  if (!run.live) return finished(run);
  return new Promise((resolve, reject) => {
    const ticket = run.ticket(resolve, sent.ticket); // resolved, if the run ends while the answer is held
    whenAsked(run, wait as WaitRecord, (answer) => {
      if (!run.live) return;
      try {
        if (answer !== null) eventFromFields(answer, fieldsOf(sent.event));
      } catch (error) {
        run.tickets?.delete(ticket);
        return reject(error);
      }
      submit(run, { ...sent, ticket }).then(resolve, reject);
    });
  });
}

function answerEvent(fields: unknown): AnswerEvent {
  if (!isRecord(fields)) throw invalid(AnswerEvent.type, [{ message: "fields are an object" }]);
  return makeEngineEvent(AnswerEvent, copyFields(AnswerEvent.type, fields));
}

function unknownEvent(run: LiveRun, event: WorkflowEvent): Receipt {
  const { name, registry } = run.host.compiled;
  const types = registry.types();
  const hint = types.includes(event.type)
    ? " It is of another class of that type: use the workflow's own."
    : suggest(event.type, types);
  return refused("EVENT_NOT_ACCEPTED", `No step of "${name}" names ${event.type}.${hint}`);
}

export function assertSendable(event: WorkflowEvent): void {
  const isKnown = isEvent(event);
  if (isKnown && !endsRun(event)) return;
  throw new WorkflowError({
    code: "EVENT_NOT_SENDABLE",
    message: isKnown ? `${event.type} ends a run and cannot be sent to one.` : "What was sent is not an event.",
    hint: isKnown
      ? "Use `handler.cancel()`, or send an event whose step returns the stop event."
      : "Send an instance of an event class.",
  });
}

function findPrompt(run: LiveRun, promptId: string): { readonly run: LiveRun; readonly prompt: OpenPrompt } | null {
  const prompt = run.state.prompts?.get(promptId);
  if (prompt) return { run, prompt };
  for (const child of run.children?.values() ?? []) {
    const found = findPrompt(child, promptId);
    if (found !== null) return found;
  }
  return null;
}

function finished({ isEvicted, state }: LiveRun): Receipt | null {
  return isEvicted ? null : runFinished(state.status);
}

function closed(run: LiveRun, promptId: string): Receipt | null {
  if (!run.live) {
    const ended = finished(run);
    return ended && receiptOfAnswer(ended);
  }
  return promptClosed(promptId);
}

function answerClass({ host }: LiveRun, prompt: OpenPrompt): EventClass | Receipt {
  const { registry } = host.compiled;
  const type = answerTypeOf(host.routing, registry, prompt);
  if (type !== null) return registry.get(type) as EventClass;
  const { promptId } = prompt;
  const types = answerTypes(host.routing, prompt);
  return refused(
    "EVENT_NOT_ACCEPTED",
    `Prompt ${promptId} can be answered by ${types.join(", ") || "no event"}: send the event itself with \`sendEvent\`.`,
  );
}

export function promptsOf(run: LiveRun): PendingPrompt[] {
  const { state, host } = run;
  const own = openPrompts({ ...host, state });
  return [...own, ...[...(run.children?.values() ?? [])].flatMap(promptsOf)];
}

// ---- messages from outside that a run in memory takes

interface Asked {
  /** Who asks for it. Absent if not known. */
  readonly by?: DoneBy;
}

type Answer = Asked & { readonly kind: "answer"; readonly promptId: string; readonly fields: unknown };
type Cancellation = Asked & { readonly kind: "cancel"; readonly reason: unknown };

export type OutsideMessage =
  | (Asked & { readonly kind: "event"; readonly event: WorkflowEvent; readonly step: string | null })
  | Answer
  | Cancellation;

/** The post that a message came with. */
export interface Delivery {
  /** Below zero: the position of the post. @default a new ticket */
  readonly ticket?: number;
  /** Epoch milliseconds. @default now */
  readonly atMs?: number;
}

/** Delivers a message. Returns `null` if the run has left memory, so that there is no receipt here. */
export async function deliver(run: LiveRun, message: OutsideMessage, from: Delivery = {}): Promise<Receipt | null> {
  switch (message.kind) {
    case "event":
      return logIfRefused(run, message.event.type, await send(run, { ...message, ...from, promptId: null }));
    case "answer":
      return answerPrompt(run, { ...message, ...from });
    case "cancel":
      return cancelRun(run, message, from);
  }
}

/** Resolves once the cancellation is stored: a receipt must not be there before its effect. */
async function cancelRun(run: LiveRun, { reason, by }: Cancellation, { ticket }: Delivery): Promise<Receipt | null> {
  if (!run.live) return finished(run);
  return new Promise((resolve) => {
    endWriting(run);
    const stored = run.ticket(resolve, ticket);
    const tick = { type: "run.cancelled", atMs: run.now(), reason, ticket: stored } as const;
    run.submit(by === undefined ? tick : { ...tick, by });
  });
}

// ---- the open prompts of a run, in one form for all sources: memory, row and history

export interface AskingRun {
  readonly state: Pick<RunState, "runId" | "prompts">;
  readonly routing: Routing;
  readonly compiled: CompiledWorkflow;
}

export function openPrompts({ state, routing, compiled: { registry } }: AskingRun): PendingPrompt[] {
  return [...(state.prompts?.values() ?? [])].map((prompt) => ({
    promptId: prompt.promptId,
    event: prompt.event as WorkflowEvent,
    runId: state.runId,
    step: prompt.step,
    askedAtMs: prompt.askedAtMs,
    dueAtMs: prompt.wait?.dueAtMs ?? null,
    answerType: answerTypeOf(routing, registry, prompt),
  }));
}

/** The type of event that an answer becomes: that of the wait, or the only answer that the steps accept. */
function answerTypeOf(routing: Routing, registry: EventRegistry, prompt: OpenPrompt): string | null {
  const [type, ...others] = answerTypes(routing, prompt);
  if (type === undefined || (prompt.wait === null && others.length > 0)) return null;
  return registry.get(type) === undefined ? null : type;
}

/** Types of the events that answer a prompt. */
function answerTypes({ external, roles }: Routing, { wait }: OpenPrompt): readonly string[] {
  if (wait !== null) return wait.accepts;
  const types = external.flatMap((step) => acceptedTypes(step)).filter((type) => isExternal(roles.get(type)));
  return [...new Set(types)];
}
