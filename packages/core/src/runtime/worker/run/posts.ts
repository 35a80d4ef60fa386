/**
 * Messages to a run in any process. The store keeps them until the run has taken or refused them.
 *
 * The tick of a delivery holds the position of its post, so a load knows which posts were delivered.
 *
 * @module
 */

import type { CompiledWorkflow } from "../../../compile/compile.js";
import { type Receipt, type RefusalCode, refused, runFinished } from "../../../engine/command.js";
import { WorkflowError } from "../../../errors/workflow-error.js";
import { decodeEvent, decodeValue } from "../../../event/decode.js";
import type { DoneBy } from "../../../event/done-by.types.js";
import type { WorkflowEvent } from "../../../event/event.js";
import { type EncodedEvent, encodeEvent } from "../../../event/event-codec.js";
import { endWriting } from "../../../run/attempt/piece-writer.js";
import { answerPrompt, deliverEvent } from "../../../run/caller/deliver-event.js";
import type { LiveRun } from "../../../run/run.types.js";
import { encodeValue } from "../../../value/codec.js";
import { type ErrorRecord, errorFrom, recordError } from "../../../value/error-record.js";
import type { EncodedValue } from "../../../value/tree.js";
import type { StoredPost } from "../../store/run-store.types.js";
import { parseJson } from "../../text/journal-text.js";
import type { DurableRun } from "./durable-run.js";

/** What can be asked of a run from outside. */
export type Message =
  | { readonly kind: "event"; readonly event: WorkflowEvent; readonly step: string | null; readonly by?: DoneBy }
  | { readonly kind: "answer"; readonly promptId: string; readonly fields: unknown; readonly by: DoneBy }
  | { readonly kind: "cancel"; readonly reason: unknown; readonly by?: DoneBy }
  /** To a run that has not ended: it changes nothing, but its key is known from then on. */
  | { readonly kind: "resume" };

type EncodedMessage =
  | { readonly kind: "event"; readonly event: EncodedEvent; readonly step: string | null; readonly by?: DoneBy }
  | { readonly kind: "answer"; readonly promptId: string; readonly fields: EncodedValue; readonly by?: DoneBy }
  | { readonly kind: "cancel"; readonly reason: EncodedValue; readonly by?: DoneBy }
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

  /** Delivers posts to the run, in order, and stores their receipts. A post that is being delivered is skipped. */
  deliver(live: DurableRun, posts: readonly StoredPost[]): void {
    for (const post of posts) {
      if (!this.#take(live, post)) continue;
      deliver(live.runner, post).then(
        (receipt) => {
          if (receipt !== null) live.receipt(post.position, receipt);
        },
        (error: unknown) => live.receipt(post.position, failed(error)),
      );
    }
  }

  /** Returns whether stored ticks have taken the post: then only its receipt is missing. */
  isDone(live: DurableRun, post: StoredPost, receipts: ReadonlyMap<number, Receipt>): boolean {
    const receipt = receipts.get(post.position);
    if (receipt?.status !== "accepted") return false;
    this.#take(live, post);
    live.receipt(post.position, receipt);
    return true;
  }

  /** Refuses the posts that a run had not taken when it ended. */
  refuse(live: DurableRun, posts: readonly StoredPost[], receipt: Receipt): void {
    for (const post of posts) if (this.#take(live, post)) live.receipt(post.position, receipt);
  }

  /** `false`: the post is being delivered, or was taken and its receipt is on its way. */
  #take(live: DurableRun, { position }: StoredPost): boolean {
    const underWay = this.#underWay.get(live) ?? new Set();
    this.#underWay.set(live, underWay);
    if (underWay.has(position)) return false;
    underWay.add(position);
    return true;
  }
}

/** `null`: the run has left memory. The next owner finds the post. */
async function deliver(runner: LiveRun, { position, text, atMs }: StoredPost): Promise<Receipt | null> {
  const message = parseJson(text, `post ${position} of run "${runner.state.runId}"`) as EncodedMessage;
  const { values: types } = runner.host.compiled;
  const by = "by" in message && message.by !== undefined ? { by: message.by } : {};
  switch (message.kind) {
    case "event": {
      const event = readEvent(runner, message.event);
      return deliverEvent(runner, { event, step: message.step, promptId: null, ticket: -position, atMs, ...by });
    }
    case "answer": {
      const { promptId } = message;
      const fields = decodeValue(message.fields, "answer", types);
      return answerPrompt(runner, { promptId, fields, ticket: -position, atMs, ...by });
    }
    case "cancel":
      return cancelRun(runner, { reason: decodeValue(message.reason, "reason", types), ticket: -position, ...by });
    case "resume":
      return { status: "accepted", sequence: runner.state.ticks };
    default:
      throw new WorkflowError({
        code: "JOURNAL_CORRUPT",
        message: `Post ${position} of run "${runner.state.runId}" has an unknown kind.`,
        hint: "It was written by a newer version: upgrade this process.",
      });
  }
}

export function isCancellation({ text, position }: StoredPost): boolean {
  return (parseJson(text, `post ${position}`) as EncodedMessage).kind === "cancel";
}

interface Cancellation {
  readonly reason: unknown;
  /** Below zero: the position of a stored post. @default a new ticket */
  readonly ticket?: number;
  readonly by?: DoneBy;
}

/** Resolves once the cancellation is stored: a receipt must not be there before its effect. `null`: the run has left memory. */
export async function cancelRun(runner: LiveRun, { ticket, ...rest }: Cancellation): Promise<Receipt | null> {
  if (!runner.live) return runner.isEvicted ? null : runFinished(runner.state.status);
  return new Promise((resolve) => {
    endWriting(runner);
    const stored = runner.ticket(resolve, ticket);
    runner.submit({ type: "run.cancelled", atMs: runner.now(), ...rest, ticket: stored });
  });
}

/** Decodes an event of the run, or of one of its children. */
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

/** The receipt of a message that is wrong in itself: who sent it gets the error (see `readReceipt`). */
type FailedReceipt = Extract<Receipt, { readonly status: "refused" }> & { readonly error?: ErrorRecord };

function failed(thrown: unknown): Receipt | FailedReceipt {
  if (WorkflowError.is(thrown, "EVENT_UNKNOWN"))
    // As from a run in memory, for an event that no step names.
    return refused("EVENT_NOT_ACCEPTED", `${thrown.message} ${thrown.hint}`);
  const { stack: _, cause: __, ...error } = recordError(thrown);
  const { code = "INTERNAL", hint = error.message } = error;
  return { ...refused(code as RefusalCode, hint), error } as FailedReceipt;
}

/** @throws {WorkflowError} What is wrong with the message itself, such as `EVENT_INVALID`: as from a run in this process. */
export function readReceipt(text: string): Receipt {
  const receipt = JSON.parse(text) as Receipt | FailedReceipt;
  if ("error" in receipt && receipt.error !== undefined) throw errorFrom(receipt.error);
  return receipt;
}
