/**
 * Messages from outside to a run, and what each of them does.
 *
 * A message reaches the run in this process, or as the text of a post: {@link deliverMessage} handles both.
 *
 * @module
 */

import { cannotResume, WorkflowError } from "../../../errors/workflow-error.js";
import {
  type CompiledWorkflow,
  type Delivery,
  type DoneBy,
  decodeEvent,
  decodeValue,
  deliver,
  type EncodedEvent,
  encodeEvent,
  type LiveRun,
  type OutsideMessage,
  type Receipt,
  type RefusalCode,
  refused,
  runFinished,
  type WorkflowEvent,
} from "../../../host.js";
import { Deferred } from "../../../system/deferred.js";
import { encodeValue } from "../../../value/codec.js";
import { type ErrorRecord, errorFrom, recordError } from "../../../value/error-record.js";
import type { EncodedValue } from "../../../value/tree.js";
import type { RunStore, StoredPost, StoredStatus } from "../../store/run-store.types.js";
import { parseJson } from "../../text/journal-text.js";
import type { ContinuedBy } from "../commit/commit.js";

interface Asked {
  /** Who asks for it. Absent if not known. */
  readonly by?: DoneBy;
}

/** A message that continues an ended run. A run that has not ended accepts `resume` once, without effect. */
export type Continuation = Asked & ({ readonly kind: "resume" } | { readonly kind: "retry" });

export type Message = OutsideMessage | Continuation;

type EncodedMessage =
  | (Asked & { readonly kind: "event"; readonly event: EncodedEvent; readonly step: string | null })
  | (Asked & { readonly kind: "answer"; readonly promptId: string; readonly fields: EncodedValue })
  | (Asked & { readonly kind: "cancel"; readonly reason: EncodedValue })
  | Continuation;

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
    default:
      return message;
  }
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT` for a kind that is not known here, and what the codec throws. */
function messageOf(runner: LiveRun, { position, text }: StoredPost): Message {
  const message = parseJson(text, `post ${position} of run "${runner.state.runId}"`) as EncodedMessage;
  const { values: types } = runner.host.compiled;
  switch (message.kind) {
    case "event":
      return { ...message, event: readEvent(runner, message.event) };
    case "answer":
      return { ...message, fields: decodeValue(message.fields, "answer", types) };
    case "cancel":
      return { ...message, reason: decodeValue(message.reason, "reason", types) };
    case "resume":
    case "retry":
      return message;
    default:
      throw new WorkflowError({
        code: "JOURNAL_CORRUPT",
        message: `Post ${position} of run "${runner.state.runId}" has an unknown kind.`,
        hint: "It was written by a newer version: upgrade this process.",
      });
  }
}

/** A message without what only the run can read. */
export function headOf({ text, position }: StoredPost): Asked & { readonly kind: Message["kind"] } {
  return parseJson(text, `post ${position}`) as EncodedMessage;
}

export function isContinuation(kind: string): kind is Continuation["kind"] {
  return kind === "resume" || kind === "retry";
}

/** A continuation that a caller here asks for without a post. */
export class AskedContinuation {
  readonly message: Continuation;
  /** `true` once a load continues the run with it. */
  isTaken = false;
  readonly #stored = new Deferred<void>();

  constructor(message: Continuation) {
    this.message = message;
  }

  /** Resolves once the ticks that continue the run are stored; never if they are not. */
  get stored(): Promise<void> {
    return this.#stored.promise;
  }

  take(): ContinuedBy {
    this.isTaken = true;
    return { position: null, onStored: this.#stored.resolve };
  }
}

/** Returns whether the message also reaches scheduled and queued runs (which it cancels) and ended runs (which it continues). */
export function isUrgent(kind: string): boolean {
  return kind === "cancel" || isContinuation(kind);
}

/** Returns the key with its kind: requests of several kinds may have one key, and each counts by itself. */
export function scopedKey(kind: "resume" | "retry" | "cancel", key: string | undefined): string | null {
  return key === undefined ? null : `${kind} ${key}`;
}

const continued: { readonly [How in Continuation["kind"]]: readonly StoredStatus[] } = {
  resume: ["cancelled"],
  retry: ["failed", "timedOut"],
};

/** Whether the message continues a run that has ended so. */
export function continues(message: Pick<Message, "kind">, status: StoredStatus): message is Continuation {
  return isContinuation(message.kind) && continued[message.kind].includes(status);
}

/** @throws {WorkflowError} `RUN_FINISHED`, `RUN_NOT_RETRYABLE` for a continuation. Every other message is refused by the receipt. */
export function refusedByEnd(kind: Message["kind"], runId: string, status: StoredStatus): Receipt {
  if (isContinuation(kind)) throw cannotResume({ runId, status }, kind);
  return runFinished(status);
}

/**
 * Delivers a message. Resolves to `null` if the run has left memory: the next owner finds the post.
 *
 * @throws {WorkflowError} `RUN_NOT_RETRYABLE`
 */
export async function deliverMessage(runner: LiveRun, message: Message, from: Delivery = {}): Promise<Receipt | null> {
  if (message.kind !== "resume" && message.kind !== "retry") return deliver(runner, message, from);
  const { live, state } = runner;
  if (!live) return null; // the next load continues it
  if (message.kind === "retry") throw cannotResume({ runId: state.runId, status: "running" }, "retry");
  return { status: "accepted", sequence: state.ticks };
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

// ---- messages to a run in any process
// The store keeps them until the run has accepted or refused them. The tick of a delivery holds the position of its post, so
// a load knows which posts were delivered.

/** The posts of one run in memory. */
export class RunPosts {
  readonly #runner: LiveRun;
  readonly #store: (position: number, receipt: Receipt) => void;
  /** Positions of posts that are being delivered, or whose receipts are on their way. */
  readonly #taken: Set<number> = new Set();

  /** @param store Adds a receipt to the next commit. */
  constructor(runner: LiveRun, store: (position: number, receipt: Receipt) => void) {
    this.#runner = runner;
    this.#store = store;
  }

  /** Delivers posts in order, and stores their receipts. Each is delivered once. */
  deliver(posts: readonly StoredPost[]): void {
    for (const post of posts) {
      if (!this.take(post)) continue;
      this.#deliver(post).then(
        (receipt) => {
          if (receipt !== null) this.#store(post.position, receipt);
        },
        (error: unknown) => this.#store(post.position, failed(error)),
      );
    }
  }

  /** Whether it came with the run, or was delivered since. */
  isTaken(position: number): boolean {
    return this.#taken.has(position);
  }

  /** Returns whether stored ticks have taken the post: then only its receipt is missing. */
  isDone(post: StoredPost, receipts: ReadonlyMap<number, Receipt>): boolean {
    const receipt = receipts.get(post.position);
    if (receipt?.status !== "accepted") return false;
    this.answer(post, receipt);
    return true;
  }

  /** Stores the receipt of a post that is not delivered. */
  answer(post: StoredPost, receipt: Receipt): void {
    if (this.take(post)) this.#store(post.position, receipt);
  }

  /** Marks a post as delivered, such as one whose receipt is stored with the ticks that it causes. Returns `false` if it was. */
  take({ position }: StoredPost): boolean {
    if (this.#taken.has(position)) return false;
    this.#taken.add(position);
    return true;
  }

  async #deliver(post: StoredPost): Promise<Receipt | null> {
    const from = { ticket: -post.position, atMs: post.atMs };
    return deliverMessage(this.#runner, messageOf(this.#runner, post), from);
  }
}

/**
 * Delivers a post that was found open. A run that was claimed since may come from a process that has taken the post meanwhile.
 *
 * @param known The run that was in memory before the post was looked for.
 */
export async function deliverFound(
  store: Pick<RunStore, "receipt">,
  post: StoredPost,
  { live, known }: { readonly live: { readonly posts: RunPosts }; readonly known: unknown },
): Promise<void> {
  if (live.posts.isTaken(post.position)) return;
  if (live === known || (await store.receipt(post.key, post.position)) === null) live.posts.deliver([post]);
}

/** The receipt of a message that is wrong in itself: who sent it gets the error (see `readReceipt`). */
type FailedReceipt = Extract<Receipt, { readonly status: "refused" }> & { readonly error?: ErrorRecord };

export function failed(thrown: unknown): Receipt | FailedReceipt {
  if (WorkflowError.is(thrown, "EVENT_UNKNOWN"))
    // A run in memory refuses an event that no step names in the same way.
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
