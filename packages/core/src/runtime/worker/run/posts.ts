/**
 * Messages to a run in any process. The store keeps them until the run has taken or refused them.
 *
 * The tick of a delivery holds the position of its post, so a load knows which posts were delivered.
 *
 * @module
 */
import { type Receipt, type RefusalCode, refused } from "../../../engine/command.js";
import { WorkflowError } from "../../../errors/workflow-error.js";
import { type ErrorRecord, errorFrom, recordError } from "../../../value/error-record.js";
import type { StoredPost } from "../../store/run-store.types.js";
import type { DurableRun } from "./durable-run.js";
import { deliverMessage, messageOf } from "./messages.js";

export class Posts {
  readonly #underWay: WeakMap<DurableRun, Set<number>> = new WeakMap();

  /** Delivers posts to the run, in order, and stores their receipts. A post that is being delivered is skipped. */
  deliver(live: DurableRun, posts: readonly StoredPost[]): void {
    for (const post of posts) {
      if (!this.#take(live, post)) continue;
      deliver(live, post).then(
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
    this.answer(live, post, receipt);
    return true;
  }

  /** Its receipt comes with the ticks that it causes. */
  leave(live: DurableRun, post: StoredPost): void {
    this.#take(live, post);
  }

  /** Stores the receipt of a post that is not delivered. */
  answer(live: DurableRun, post: StoredPost, receipt: Receipt): void {
    if (this.#take(live, post)) live.receipt(post.position, receipt);
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

async function deliver({ runner }: DurableRun, post: StoredPost): Promise<Receipt | null> {
  return deliverMessage(runner, messageOf(runner, post), { ticket: -post.position, atMs: post.atMs });
}

/** The receipt of a message that is wrong in itself: who sent it gets the error (see `readReceipt`). */
type FailedReceipt = Extract<Receipt, { readonly status: "refused" }> & { readonly error?: ErrorRecord };

export function failed(thrown: unknown): Receipt | FailedReceipt {
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
