/**
 * Messages to a run whoever has it, kept by the store until the run has taken or refused them.
 *
 * The tick of a delivery carries the position of its post, so a load knows which ones were taken.
 *
 * @module
 */
import type { Receipt } from "../engine/command.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { WorkflowEvent } from "../event/event.js";
import { decodeEvent, type EncodedEvent, encodeEvent } from "../event/event-codec.js";
import { answerPrompt, sendAndTell } from "../run/outside.js";
import type { LiveRun } from "../run/run.types.js";
import { decodeValue, type EncodedValue, encodeValue } from "../value/codec.js";
import type { CompiledWorkflow } from "../workflow/compile.js";
import type { DurableRun } from "./durable-run.js";
import { parseJson } from "./journal-text.js";
import type { StoredPost } from "./run-store.types.js";

/** What can be asked of a run from outside. */
export type Message =
  | { readonly kind: "event"; readonly event: WorkflowEvent; readonly step: string | null }
  | { readonly kind: "answer"; readonly promptId: string; readonly fields: unknown }
  | { readonly kind: "cancel"; readonly reason: unknown }
  /** To a run that has not ended: it changes nothing, and its key is known from then on. */
  | { readonly kind: "resume" };

type EncodedMessage =
  | { readonly kind: "event"; readonly event: EncodedEvent; readonly step: string | null }
  | { readonly kind: "answer"; readonly promptId: string; readonly fields: EncodedValue }
  | { readonly kind: "cancel"; readonly reason: EncodedValue }
  | { readonly kind: "resume" };

export const resumeText: string = JSON.stringify({ kind: "resume" } satisfies Message);

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
export function messageText(message: Message, { values }: CompiledWorkflow): string {
  return JSON.stringify(encodeMessage(message, values));
}

function encodeMessage(message: Message, types: CompiledWorkflow["values"]): EncodedMessage {
  switch (message.kind) {
    case "event":
      return { ...message, event: encodeEvent(message.event, `sendEvent: ${message.event.type}`, types) };
    case "answer":
      return { ...message, fields: encodeValue(message.fields, "answer", types) };
    case "cancel":
      return { ...message, reason: encodeValue(message.reason, "cancel: reason", types) };
    case "resume":
      return message;
  }
}

export class Posts {
  readonly #underWay: WeakMap<DurableRun, Set<number>> = new WeakMap();

  /** Brings them to the run, in order; their receipts go to the store. One that is under way is not brought again. */
  deliver(live: DurableRun, posts: readonly StoredPost[]): void {
    for (const post of posts) {
      if (!this.#take(live, post)) continue;
      deliver(live.runner, post).then(
        (receipt) => {
          if (receipt !== null) live.receipt(post.position, receipt);
        },
        (error: unknown) => live.receipt(post.position, refusal(error)),
      );
    }
  }

  /** Whether ticks that were stored before have taken it: then only its receipt is missing. */
  isDone(live: DurableRun, post: StoredPost, receipts: ReadonlyMap<number, Receipt>): boolean {
    const receipt = receipts.get(post.position);
    if (receipt?.status !== "accepted") return false;
    this.#take(live, post);
    live.receipt(post.position, receipt);
    return true;
  }

  /** Those that a run had not taken when it ended, as their senders were told. */
  refuse(live: DurableRun, posts: readonly StoredPost[], receipt: Receipt): void {
    for (const post of posts) if (this.#take(live, post)) live.receipt(post.position, receipt);
  }

  /** False: it is under way, or was taken and its receipt is. */
  #take(live: DurableRun, { position }: StoredPost): boolean {
    const underWay = this.#underWay.get(live) ?? new Set();
    this.#underWay.set(live, underWay);
    if (underWay.has(position)) return false;
    underWay.add(position);
    return true;
  }
}

/** Null: the run has left memory. Whoever loads it next finds the post. */
async function deliver(runner: LiveRun, { position, text, atMs }: StoredPost): Promise<Receipt | null> {
  const message = parseJson(text, `post ${position} of run "${runner.state.runId}"`) as EncodedMessage;
  const { values: types } = runner.host.compiled;
  switch (message.kind) {
    case "event": {
      const event = readEvent(runner, message.event);
      return sendAndTell(runner, { event, step: message.step, promptId: null, ticket: -position, atMs });
    }
    case "answer": {
      const fields = decodeValue(message.fields, "answer", types);
      return answerPrompt(runner, { promptId: message.promptId, fields, ticket: -position, atMs });
    }
    case "cancel":
      return cancelRun(runner, decodeValue(message.reason, "reason", types));
    case "resume":
      return { status: "accepted", sequence: runner.state.ticks };
    default:
      throw new WorkflowError({
        code: "JOURNAL_CORRUPT",
        message: `Post ${position} of run "${runner.state.runId}" is of no kind that there is.`,
        hint: "It was written by a newer version: let that one take it.",
      });
  }
}

/** Why a post cancels its run; `undefined` for every other post. */
export function cancelReason({ text, position }: StoredPost, types: CompiledWorkflow["values"]): unknown {
  const message = parseJson(text, `post ${position}`) as EncodedMessage;
  return message.kind === "cancel" ? decodeValue(message.reason, "reason", types) : undefined;
}

/** Resolves once that is stored: a receipt must not be there before what it stands for. */
export async function cancelRun(runner: LiveRun, reason: unknown): Promise<Receipt> {
  const tick = { type: "run.cancelled", atMs: runner.now(), reason } as const;
  const stored = runner.whenStored(tick);
  runner.submit(tick);
  await stored;
  return { status: "accepted", sequence: runner.state.ticks };
}

/** An event of the run, or else of one of its children. */
function readEvent(runner: LiveRun, encoded: EncodedEvent): WorkflowEvent {
  const knows = (one: LiveRun): LiveRun | undefined => {
    if (one.host.compiled.registry.get(encoded.type)) return one;
    for (const child of one.children?.values() ?? []) {
      const found = knows(child);
      if (found) return found;
    }
    return undefined;
  };
  return decodeEvent(encoded, (knows(runner) ?? runner).host.compiled.registry, "The event that was sent");
}

function refusal(error: unknown): Receipt {
  const hint = WorkflowError.is(error) ? `${error.message} ${error.hint}` : String(error);
  // As a run in memory says it of an event that none of its steps names.
  const code = WorkflowError.is(error, "EVENT_UNKNOWN")
    ? "EVENT_NOT_ACCEPTED"
    : WorkflowError.is(error)
      ? error.code
      : "INTERNAL";
  return { status: "refused", code: code as "EVENT_NOT_ACCEPTED", hint };
}

/** What the sender of a message to a run that has ended is told. */
export function runFinished(status: string): Receipt {
  return {
    status: "refused",
    code: "RUN_FINISHED",
    hint: `The run is ${status}: start a new one, resume or retry it.`,
  };
}
