/**
 * What the engine needs from the world. Nothing else in the core is nondeterministic.
 *
 * @module
 */
import type { Tick } from "./tick.js";

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Calls `wake` once, at or after `atMs`. Gives the way to call it off.
   *
   * @param isBackground The process need not live on for it. @default false
   */
  setTimer(atMs: number, wake: () => void, isBackground?: boolean): () => void;
}

export interface Ids {
  /** A new run id. Never the same twice. */
  runId(): string;
}

/** Where the core says what nobody awaits: failures of listeners, runs and disposal. */
export interface Log {
  info(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Where ticks are kept. A durable host has one; in memory there is none. */
export interface Journal {
  /**
   * Stores the ticks of one round, in one commit, before any of them is reduced.
   * Gives nothing when they are stored already, else a promise. When it fails, the run is dropped from memory.
   */
  append(runId: string, ticks: readonly Tick[]): void | Promise<void>;
}

export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly journal: Journal | null;
}
