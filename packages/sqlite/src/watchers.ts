import type { RunKey } from "millrace/runtime";
import type { Database } from "./database.js";

type Listener = (key: RunKey | null) => void;

/** What other connections commit to, too. */
interface Polled {
  readonly database: Database;
  readonly everyMs: number;
}

/**
 * Who wants to know of commits: those of this store at once, those of other connections by polling, where
 * there may be any and while anybody listens.
 */
export class Watchers {
  readonly #polled: Polled | null;
  readonly #watchers = new Set<{ readonly listener: Listener }>();
  #timer: NodeJS.Timeout | null = null;
  #version = 0;

  /** Null: nobody else commits. */
  constructor(polled: Polled | null) {
    this.#polled = polled;
  }

  add(listener: Listener): () => void {
    const watcher = { listener }; // the same function may watch twice
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  /** Once for each key, after the caller has its answer ready. */
  tell(keys: readonly (RunKey | null)[]): void {
    for (const watcher of this.#watchers) {
      // One each: a listener that throws must not silence the others, nor fail the commit.
      queueMicrotask(() => {
        for (const key of keys) if (this.#watchers.has(watcher)) watcher.listener(key);
      });
    }
  }

  get isEmpty(): boolean {
    return this.#watchers.size === 0;
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #start(): void {
    const polled = this.#polled;
    if (this.#timer !== null || polled === null) return;
    this.#version = readVersion(polled.database);
    this.#timer = setInterval(() => this.#poll(polled.database), polled.everyMs);
    this.#timer.unref();
  }

  #poll(database: Database): void {
    let version: number;
    try {
      version = readVersion(database);
    } catch {
      // Nobody could catch it here. Whoever is told reads the store, and gets the error where it can be handled.
      return this.tell([null]);
    }
    if (version === this.#version) return;
    this.#version = version;
    this.tell([null]);
  }
}

/** Changes when another connection has committed; not by what this one commits. */
function readVersion(database: Database): number {
  return database.guard(() => {
    const row = database.sql("PRAGMA data_version").get() as { readonly data_version: number };
    return row.data_version;
  });
}
