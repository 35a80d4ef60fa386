import { type HeardChange, StoreListeners } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import { idOf } from "../text/values.js";
import type { Database } from "./database.js";
import { type Change, channelOf, decodeNotice, either, type Line, Listener, Notices } from "./notices.js";

export interface WatchersSetup {
  readonly database: Database;
  readonly writer: string;
  /** Opens the connection that listens; `null` if the watchers only look. */
  readonly line: (() => Promise<Line>) | null;
  readonly pollMs: number;
}

// Every transaction of another store adds a batch to its lane.
const look = `SELECT coalesce(sum((SELECT b.batch FROM @batches b WHERE b.lane = l.id ORDER BY b.batch DESC LIMIT 1)), 0)::bigint AS sum
  FROM @lanes l WHERE l.writer <> $1`;

const anyRun: readonly HeardChange[] = [{ key: null }];

/** How many looks are left out while notices arrive. */
const trusted = 10;

/**
 * Notifies watchers of commits: at once for those of this store; by notices for those of others; and by a look at the lanes,
 * because a notice may be lost, and behind a pooler none arrives.
 */
export class Watchers {
  readonly #setup: WatchersSetup;
  readonly #notices: Notices;
  readonly #listeners = new StoreListeners();
  #listener: Listener | null = null;
  /** Whether a notice has come over the present connection, if only its own. */
  #hears = false;
  #timer: NodeJS.Timeout | null = null;
  #looks = 0;
  #isLooking = false;
  #sum: unknown = null;

  constructor(setup: WatchersSetup) {
    this.#setup = setup;
    this.#notices = new Notices(setup.database, setup.writer);
  }

  add(listener: Parameters<RunStore["watch"]>[0]): () => void {
    const remove = this.#listeners.add(listener);
    this.#start();
    return () => {
      remove();
      if (this.#listeners.isEmpty) this.#stop();
    };
  }

  /** Called when this store has changed runs. `isUrgent` if a caller waits for the reaction of other processes. */
  changed(changes: readonly Change[], isUrgent = false): void {
    const unique = new Map<string, Change>();
    for (const { key, news } of changes) {
      const { tenant, runId } = key;
      const id = idOf(key);
      unique.set(id, either(unique.get(id), { key: { tenant, runId }, news }));
    }
    this.#listeners.notify([...unique.values()]);
    this.#notices.add(unique, isUrgent);
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
    this.#notices.stop();
  }

  #start(): void {
    if (this.#timer !== null) return;
    const { database, line, pollMs } = this.#setup;
    this.#sum = null;
    this.#timer = setInterval(() => void this.#look(), pollMs);
    this.#timer.unref();
    void this.#look();
    if (line === null) return;
    this.#listener = new Listener({
      open: line,
      channel: channelOf(database.path),
      onListening: () => {
        this.#listeners.notify(anyRun); // of what was committed before
        this.#notices.hello().catch(() => undefined); // without an answer it keeps polling
      },
      onHeard: (payload) => this.#hear(payload),
      onLost: () => {
        this.#hears = false;
      },
    });
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#listener?.stop();
    this.#listener = null;
    this.#hears = false;
  }

  #hear(payload: string): void {
    this.#hears = true;
    const notice = decodeNotice(payload);
    if (notice === null || notice.writer === this.#setup.writer) return;
    this.#listeners.notify(notice.changes ?? anyRun);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return; // while no connection is free, looks would pile up
    if (this.#hears && ++this.#looks % trusted !== 0) return;
    const { database, writer } = this.#setup;
    this.#isLooking = true;
    try {
      const [row] = await database.all(look, [writer]);
      const sum = row?.["sum"];
      // The first look reports, too: something may have been committed since the watching began.
      if (this.#sum !== sum) this.#listeners.notify(anyRun);
      this.#sum = sum;
    } catch {
      // An error could not be caught here. A watcher that is called reads the store and meets the error where it can be
      // handled.
      this.#listeners.notify(anyRun);
    } finally {
      this.#isLooking = false;
    }
  }
}
