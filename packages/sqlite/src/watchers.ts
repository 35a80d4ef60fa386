import type { RunKey } from "millrace/runtime";
import type { Database } from "./database.js";

type Listener = (key: RunKey | null) => void;

/** Who wants to know of commits: those of this store at once, those of other connections by polling, while anybody listens. */
export class Watchers {
  readonly #database: Database;
  readonly #pollMs: number;
  readonly #watchers = new Set<{ readonly listener: Listener }>();
  #timer: NodeJS.Timeout | null = null;
  #version = 0;

  constructor(database: Database, pollMs: number) {
    this.#database = database;
    this.#pollMs = pollMs;
  }

  add(listener: Listener): () => void {
    const watcher = { listener }; // the same function may watch twice
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.stop();
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

  clear(): void {
    this.#watchers.clear();
    this.stop();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #start(): void {
    if (this.#timer !== null) return;
    this.#version = this.#readVersion();
    this.#timer = setInterval(() => this.#poll(), this.#pollMs);
    this.#timer.unref();
  }

  #poll(): void {
    let version: number;
    try {
      version = this.#readVersion();
    } catch {
      // Nobody could catch it here. Whoever is told reads the store, and gets the error where it can be handled.
      return this.tell([null]);
    }
    if (version === this.#version) return;
    this.#version = version;
    this.tell([null]);
  }

  /** Changes when another connection has committed; not by what this one commits. */
  #readVersion(): number {
    return this.#database.guard(() => {
      const row = this.#database.sql("PRAGMA data_version").get() as { readonly data_version: number };
      return row.data_version;
    });
  }
}
