import { type HeardChange, StoreListeners } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import type { Database } from "./database.js";

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
  readonly #listeners = new StoreListeners();
  #timer: NodeJS.Timeout | null = null;
  #version = 0;

  /** `null` when no other connection commits. */
  constructor(polled: Polled | null) {
    this.#polled = polled;
  }

  add(listener: Parameters<RunStore["watch"]>[0]): () => void {
    const remove = this.#listeners.add(listener);
    this.#start();
    return () => {
      remove();
      if (this.isEmpty) this.#stop();
    };
  }

  notify(changes: readonly HeardChange[]): void {
    this.#listeners.notify(changes);
  }

  get isEmpty(): boolean {
    return this.#listeners.isEmpty;
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
      return this.notify([{ key: null }]);
    }
    if (version === this.#version) return;
    this.#version = version;
    this.notify([{ key: null }]);
  }
}

/** Changes with every commit of another connection; commits of this one do not change it. */
function readVersion(database: Database): number {
  return database.guard(() => {
    const row = database.sql("PRAGMA data_version").get() as { readonly data_version: number };
    return row.data_version;
  });
}
