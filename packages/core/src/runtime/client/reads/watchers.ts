import type { Clock } from "../../../host.js";
import type { RunChange, RunKey, RunStore } from "../../store/run-store.types.js";

/** Called at a change of a run. @param change Left out: any change. */
export type RunWatcher = (change: RunChange | undefined) => unknown;

/** Who waits for a change of which run. */
export class RunWatchers {
  readonly #byRun: Map<string, Set<RunWatcher>> = new Map();
  readonly #looks: Set<Promise<unknown>> = new Set();
  /** Number of changes reported so far. */
  changes = 0;

  /** Returns a function that removes the watcher. The result of the watcher is not used. */
  add(id: string, watcher: RunWatcher): () => void {
    const all = this.#byRun.get(id) ?? new Set();
    this.#byRun.set(id, all);
    all.add(watcher);
    return () => {
      all.delete(watcher);
      if (all.size === 0) this.#byRun.delete(id);
    };
  }

  /** One of them looks what has become of its run. */
  track<Found>(look: Promise<Found>): Promise<Found> {
    this.#looks.add(look);
    const forget = (): void => void this.#looks.delete(look);
    look.then(forget, forget);
    return look;
  }

  /** Resolves when all reads after the last report have ended. */
  async settled(): Promise<void> {
    await null; // they look in the next microtask
    await Promise.allSettled(this.#looks);
  }

  has(id: string): boolean {
    return this.#byRun.has(id);
  }

  /** @param id Null: any run may have changed. */
  notify(id: string | null, change?: RunChange): void {
    this.changes++;
    const watching = id === null ? this.#byRun.values() : [this.#byRun.get(id) ?? noWatchers];
    for (const all of watching) for (const watcher of all) watcher(change); // none of them adds or removes one at once
  }
}

const noWatchers: readonly never[] = [];

interface Reading {
  /** The number of changes known when the read began. */
  readonly changes: number;
  readonly value: Promise<unknown>;
}

/**
 * One read for all who want the same at the same time.
 *
 * A read that starts after a change never shares a read from before it, so a reader sees the change that it was notified of.
 */
export class SharedReads {
  readonly #watchers: RunWatchers;
  readonly #readings: Map<string, Reading> = new Map();

  constructor(watchers: RunWatchers) {
    this.#watchers = watchers;
  }

  get<Value>(what: string, read: () => Promise<Value>): Promise<Value> {
    const { changes } = this.#watchers;
    const known = this.#readings.get(what);
    if (known?.changes === changes) return known.value as Promise<Value>;
    const value = read();
    const reading: Reading = { changes, value };
    this.#readings.set(what, reading);
    const forget = (): void => {
      if (this.#readings.get(what) === reading) this.#readings.delete(what);
    };
    value.then(forget, forget);
    return value;
  }
}

/* What watches the store through a runtime, until it ends or the runtime stops. */

export class StoreWatches {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #ends: Set<() => void> = new Set();

  constructor({ store, clock }: { readonly store: RunStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @returns ends it. */
  add(listener: (run: RunKey | null) => void): () => void {
    const letEnd = this.#clock.keepAlive?.();
    const stopWatching = this.#store.watch((key) => listener(key));
    const end = (): void => {
      this.#ends.delete(end);
      stopWatching();
      letEnd?.();
    };
    this.#ends.add(end);
    return end;
  }

  endAll(): void {
    for (const end of this.#ends) end();
  }
}
