/**
 * Messages to a run in any process. The store keeps them until the run has taken or refused them.
 *
 * The tick of a delivery holds the position of its post, so a load knows which posts were delivered.
 *
 * @module
 */

import { WorkflowError } from "../../../errors/workflow-error.js";
import { type LiveRun, type Receipt, type RefusalCode, refused } from "../../../host.js";
import { type ErrorRecord, errorFrom, recordError } from "../../../value/error-record.js";
import type { RunStore, StoredPost } from "../../store/run-store.types.js";
import { deliverMessage, messageOf } from "./messages.js";

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
      if (!this.#take(post)) continue;
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

  /** Its receipt comes with the ticks that it causes. */
  leave(post: StoredPost): void {
    this.#take(post);
  }

  /** Stores the receipt of a post that is not delivered. */
  answer(post: StoredPost, receipt: Receipt): void {
    if (this.#take(post)) this.#store(post.position, receipt);
  }

  #take({ position }: StoredPost): boolean {
    if (this.#taken.has(position)) return false;
    this.#taken.add(position);
    return true;
  }

  async #deliver(post: StoredPost): Promise<Receipt | null> {
    const from = { ticket: -post.position, atMs: post.atMs };
    return deliverMessage(this.#runner, messageOf(this.#runner, post), from);
  }
}

interface WithPosts {
  readonly posts: RunPosts;
}

/**
 * Delivers a post that was found open. A run that was claimed since may come from a process that has taken the post meanwhile.
 *
 * @param known The run that was in memory before the post was looked for.
 */
export async function deliverFound<Run extends WithPosts>(
  store: Pick<RunStore, "receipt">,
  post: StoredPost,
  { live, known }: { readonly live: Run; readonly known: Run | undefined },
): Promise<void> {
  if (live.posts.isTaken(post.position)) return;
  if (live === known || (await store.receipt(post.key, post.position)) === null) live.posts.deliver([post]);
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
