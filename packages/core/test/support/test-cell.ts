/**
 * A state in memory and a clock that tests move, for the tests of `src/state`.
 *
 * @module
 */
import type { Clock } from "../../src/engine/ports.js";
import type { PreparedChange } from "../../src/state/state-schema.js";
import { type Commit, StateStore, type StoreHost } from "../../src/state/state-store.js";
import { freezeState } from "../../src/value/freeze.js";

export class TestClock implements Clock {
  #nowMs = 1_000;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#nowMs;
  }

  setTimer(atMs: number, wake: () => void): () => void {
    const timer = (): void => wake();
    this.#timers.set(timer, atMs);
    return () => void this.#timers.delete(timer);
  }

  /** How many are waiting. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Somebody sets the clock: no time passes, and timers count time. */
  setBy(byMs: number): void {
    this.#nowMs += byMs;
    for (const [timer, atMs] of this.#timers) this.#timers.set(timer, atMs + byMs);
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    for (const [timer, atMs] of [...this.#timers]) {
      if (atMs <= this.#nowMs && this.#timers.delete(timer)) timer();
    }
  }
}

export interface TestCell {
  readonly cell: StateStore;
  readonly clock: TestClock;
  readonly commits: { change: PreparedChange; commit: Commit }[];
}

export function createTestCell(
  start: object = {},
  options: Partial<StoreHost> & { stored?: Promise<void> } = {},
): TestCell {
  let state: unknown = freezeState(start);
  const clock = new TestClock();
  const commits: TestCell["commits"] = [];
  const cell = new StateStore({
    schema: null,
    types: [],
    lockTimeoutMs: 10_000,
    clock,
    read: () => state,
    commit: (change, commit) => {
      const apply = (): void => {
        state = change.next;
        commits.push({ change, commit });
      };
      return options.stored ? options.stored.then(apply) : apply();
    },
    ...options,
  });
  return { cell, clock, commits };
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
