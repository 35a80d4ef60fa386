/**
 * Notifications between stores of one database: which runs have changed.
 *
 * A notice is sent after the commit and not with it, for what is sent in a transaction makes all of them commit one after
 * the other. A notice may be lost; who watches also looks from time to time.
 *
 * @module
 */
import type { RunChange, RunKey } from "millrace/runtime";
import { hashOf } from "../text/keys.js";
import type { Database } from "./database.js";

// A lost notice is found by the next look at the tables, so it does not wait for the disk.
const send = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

/** Milliseconds between two notices, and before one of a message, whose sender waits for an answer. */
const pauseMs = 20;
const urgentPauseMs = 2;
/** PostgreSQL takes less than 8,000 bytes. */
const maxBytes = 7_900;

export interface Change {
  readonly key: RunKey;
  readonly news: RunChange;
}

/** A report of changed runs; `changes` is `null` if any run may have changed. */
export interface Notice {
  readonly writer: string;
  readonly changes: readonly Change[] | null;
}

/** A name of at most 63 bytes, unique to this store in the database. */
export function channelOf(path: string): string {
  return `millrace_${hashOf(path).toString("hex", 0, 12)}`;
}

export class Notices {
  readonly #database: Database;
  readonly #writer: string;
  readonly #changes = new Map<string, Change>();
  #timer: NodeJS.Timeout | null = null;
  #isSending = false;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isUrgent = false;

  constructor(database: Database, writer: string) {
    this.#database = database;
    this.#writer = writer;
  }

  add(changes: Iterable<readonly [string, Change]>, isUrgent: boolean): void {
    for (const [id, change] of changes) this.#changes.set(id, either(this.#changes.get(id), change));
    this.#isUrgent ||= isUrgent;
    if (this.#changes.size > 0) this.#arm();
  }

  /** Announces this store to all listeners. */
  async hello(): Promise<void> {
    await this.#send({ writer: this.#writer, changes: [] });
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#changes.clear();
  }

  #arm(): void {
    if (this.#isSending || (this.#timer !== null && !this.#isUrgent)) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const waitMs = this.#sentAtMs + (this.#isUrgent ? urgentPauseMs : pauseMs) - performance.now();
    // A timer would take a millisecond at least.
    if (waitMs <= 0) return void this.#flush();
    this.#timer = setTimeout(() => void this.#flush(), waitMs);
    this.#timer.unref();
  }

  async #flush(): Promise<void> {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    this.#timer = null;
    this.#isUrgent = false;
    this.#isSending = true;
    this.#sentAtMs = performance.now();
    try {
      await this.#send({ writer: this.#writer, changes });
    } catch {
      // Nobody awaits it. Watchers find the changes at their next look.
    }
    this.#isSending = false;
    if (this.#changes.size > 0 && !this.#database.isClosed) this.#arm();
  }

  async #send(notice: Notice): Promise<void> {
    const whole = encode(notice);
    const payload = Buffer.byteLength(whole) > maxBytes ? encode({ ...notice, changes: null }) : whole;
    await this.#database.all(send, [channelOf(this.#database.path), payload]);
  }
}

/** Ordered by the number of readers concerned. Sent as a number; a due run has none. */
const order: readonly RunChange[] = ["progressed", "ended", "due"];

/** Merges two changes of one run into the one that concerns more readers. */
export function either(before: Change | undefined, { key, news }: Change): Change {
  const rank = Math.max(order.indexOf(news), order.indexOf(before?.news ?? "progressed"));
  return { key, news: order[rank] as RunChange };
}

function encode({ writer, changes }: Notice): string {
  const keys =
    changes?.map(({ key, news }) => [key.tenant, key.runId, ...(news === "due" ? [] : [order.indexOf(news)])]) ?? null;
  return JSON.stringify([writer, keys]);
}

/** `null` for other messages on the channel. */
export function decodeNotice(payload: string): Notice | null {
  try {
    const [writer, keys] = JSON.parse(payload) as [string, [string, string, number?][] | null];
    const changes =
      keys?.map(([tenant, runId, rank]) => ({ key: { tenant, runId }, news: order[rank ?? 2] ?? "due" })) ?? null;
    return { writer, changes };
  } catch {
    return null;
  }
}
