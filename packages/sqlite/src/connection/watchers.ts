import type { RunChange, RunKey } from "millrace/runtime";
import type { Database } from "./database.js";

type Listener = (key: RunKey | null, news?: RunChange) => void;

/** A database to which other connections commit, too. */
interface Polled {
  readonly database: Database;
  readonly everyMs: number;
}

/**
 * Notifies listeners of commits: at once for commits of this store; by polling, while there are listeners, for commits of
 * other connections.
 */
export class Watchers {
  readonly #polled: Polled | null;
  readonly #watchers = new Set<{ readonly listener: Listener }>();
  #timer: NodeJS.Timeout | null = null;
  #version = 0;

  /** `null` when no other connection commits. */
  constructor(polled: Polled | null) {
    this.#polled = polled;
  }

  add(listener: Listener): () => void {
    const watcher = { listener }; // an object, because the same function may watch twice
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  /** Calls the listeners once for each key, after the caller has returned. */
  notify(keys: readonly (RunKey | null)[], news?: RunChange): void {
    for (const watcher of this.#watchers) {
      // One microtask each: a listener that throws must neither silence the others nor fail the commit.
      queueMicrotask(() => {
        for (const key of keys) if (this.#watchers.has(watcher)) watcher.listener(key, news);
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
      // An error could not be caught here. A listener that is called reads the store and meets the error where it can be
      // handled.
      return this.notify([null]);
    }
    if (version === this.#version) return;
    this.#version = version;
    this.notify([null]);
  }
}

/** Changes with every commit of another connection; commits of this one do not change it. */
function readVersion(database: Database): number {
  return database.guard(() => {
    const row = database.sql("PRAGMA data_version").get() as { readonly data_version: number };
    return row.data_version;
  });
}
