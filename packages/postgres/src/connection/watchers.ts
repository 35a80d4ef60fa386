import type { RunChange, RunKey } from "millrace/runtime";
import { idOf } from "../text/keys.js";
import type { Database } from "./database.js";
import { type Line, Listener } from "./listener.js";
import { type Change, channelOf, decodeNotice, either, Notices } from "./notices.js";

type Heard = (key: RunKey | null, news?: RunChange) => void;

export interface WatchersSetup {
  readonly database: Database;
  readonly writer: string;
  /** Opens the connection that listens. Null: it looks only. */
  readonly line: (() => Promise<Line>) | null;
  readonly pollMs: number;
}

// Every transaction of another store adds a batch to its lane.
const look = `SELECT coalesce(sum((SELECT b.batch FROM @batches b WHERE b.lane = l.id ORDER BY b.batch DESC LIMIT 1)), 0)::bigint AS sum
  FROM @lanes l WHERE l.writer <> $1`;

/** How many looks are left out while notices arrive. */
const trusted = 10;

/**
 * Notifies watchers of commits: at once for those of this store; by notices for those of others; and by a look at the lanes,
 * because a notice may be lost, and behind a pooler none arrives.
 */
export class Watchers {
  readonly #setup: WatchersSetup;
  readonly #notices: Notices;
  readonly #watchers = new Set<{ readonly heard: Heard }>();
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

  add(heard: Heard): () => void {
    const watcher = { heard }; // an object, because the same function may watch twice
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#stop();
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
    this.#notify([...unique.values()]);
    this.#notices.add(unique, isUrgent);
  }

  close(): void {
    this.#watchers.clear();
    this.#stop();
    this.#notices.stop();
  }

  /** Calls the watchers once for each key, after the caller has returned. */
  #notify(changes: readonly Change[] | null): void {
    for (const watcher of this.#watchers) {
      // One microtask each: a watcher that throws must neither silence the others nor fail the commit.
      queueMicrotask(() => {
        if (changes === null && this.#watchers.has(watcher)) watcher.heard(null);
        for (const { key, news } of changes ?? []) if (this.#watchers.has(watcher)) watcher.heard(key, news);
      });
    }
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
        this.#notify(null); // of what was committed before
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
    this.#notify(notice.changes);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return; // while no connection is free, looks would pile up
    if (this.#hears && ++this.#looks % trusted !== 0) return;
    const { database, writer } = this.#setup;
    this.#isLooking = true;
    try {
      const [row] = await database.all(look, [writer]);
      const sum = row?.["sum"];
      // Also at the first look: something may have been committed since the watching began.
      if (this.#sum !== sum) this.#notify(null);
      this.#sum = sum;
    } catch {
      // An error could not be caught here. A watcher that is called reads the store and meets the error where it can be
      // handled.
      this.#notify(null);
    } finally {
      this.#isLooking = false;
    }
  }
}
