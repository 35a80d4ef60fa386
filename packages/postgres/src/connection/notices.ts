/**
 * Notifications between stores of one database: which runs have changed.
 *
 * A notice is sent after the commit and not with it, for what is sent in a transaction makes all of them commit one after
 * the other. A notice may be lost; who watches also looks from time to time.
 *
 * @module
 */
import type { RunChange, RunKey } from "millrace/runtime";
import { hashOf } from "../text/values.js";
import type { Database } from "./database.js";
import type { PostgresClient } from "./driver.types.js";

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

// ---- hearing them

/** A separate connection for notifications of other stores. */
export interface Line {
  readonly client: Pick<PostgresClient, "query" | "on">;
  readonly close: () => void;
}

export interface ListenerSetup {
  readonly open: () => Promise<Line>;
  readonly channel: string;
  /** The connection listens. Notices that were sent before may have been missed. */
  readonly onListening: () => void;
  readonly onHeard: (payload: string) => void;
  /** The connection was lost; another one is tried. */
  readonly onLost: () => void;
}

/** Hears notices for as long as it is not stopped. */
export class Listener {
  readonly #setup: ListenerSetup;
  #line: Line | null = null;
  #timer: NodeJS.Timeout | null = null;
  #pauseMs = 100;
  #isStopped = false;

  constructor(setup: ListenerSetup) {
    this.#setup = setup;
    void this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#line?.close();
    this.#line = null;
  }

  async #connect(): Promise<void> {
    const { open, channel, onListening, onHeard } = this.#setup;
    let line: Line | null = null;
    try {
      line = await open();
      const { client } = line;
      client.on("error", () => this.#lose(line));
      client.on("end", () => this.#lose(line));
      client.on("notification", (said: { readonly channel: string; readonly payload?: string }) => {
        if (said.channel === channel) onHeard(said.payload ?? "");
      });
      if (this.#isStopped) return line.close();
      this.#line = line;
      await client.query({ text: `LISTEN ${channel}` });
      this.#pauseMs = 100;
      onListening();
    } catch {
      // Looks at the tables replace it meanwhile.
      if (line === null) this.#again();
      else this.#lose(line);
    }
  }

  #lose(line: Line | null): void {
    if (line === null || this.#line !== line) return;
    this.#line = null;
    line.close();
    this.#setup.onLost();
    this.#again();
  }

  #again(): void {
    if (this.#isStopped) return;
    // The pause is random, so that the processes do not all reconnect at once when the server is back.
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs * (0.5 + Math.random() / 2));
    this.#timer.unref();
    this.#pauseMs = Math.min(5_000, this.#pauseMs * 2);
  }
}
