import type { RunChange, RunKey, RunStore } from "./run-store.types.js";

type Listener = Parameters<RunStore["watch"]>[0];

/** A change that listeners hear of; the `key` is `null` if it may be any run. */
export interface HeardChange {
  readonly key: RunKey | null;
  readonly news?: RunChange | undefined;
}

/** The listeners of a store. */
export class StoreListeners {
  readonly #entries: Set<{ readonly listener: Listener }> = new Set();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: Listener): () => void {
    const entry = { listener }; // an object, because the same function may listen twice
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Calls the listeners once for each change, after the caller has returned. */
  notify(changes: readonly HeardChange[]): void {
    for (const entry of this.#entries) {
      // One microtask each: a listener that throws must neither silence the others nor fail the commit.
      queueMicrotask(() => {
        for (const { key, news } of changes) if (this.#entries.has(entry)) entry.listener(key, news);
      });
    }
  }
}
