/**
 * The ports of the engine. All else in the core is deterministic.
 *
 * @module
 */
import type { Tick } from "./tick.js";

export interface Clock {
  /** Present time in epoch milliseconds. */
  now(): number;
  /**
   * Calls `wake` once, at or after `atMs`. Returns the function that cancels the timer.
   *
   * @param isBackground `true`: the timer does not keep the process alive. @default false
   */
  setTimer(atMs: number, wake: () => void, isBackground?: boolean): () => void;
  /**
   * Keeps the process alive until the returned function is called: a promise by itself does not. Called while a promise of a
   * runtime is open.
   *
   * @default nothing keeps the process alive: the driver of a virtual clock does
   */
  keepAlive?(): () => void;
  /**
   * A number from 0 to below 1, for the length of pauses between attempts.
   *
   * @default no chance: pauses have their full length, so that virtual time takes the same course again
   */
  chance?(): number;
}

export interface Ids {
  /** Returns a new unique run id. */
  runId(): string;
}

/** Receives errors that are not awaited: of listeners, runs and disposal. */
export interface Log {
  info(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Stores ticks. Durable hosts have one; runs in memory do not. */
export interface Journal {
  /**
   * Stores the ticks of one round in one commit, before any of them is reduced. Returns nothing when they are already
   * stored, otherwise a promise. On failure the run is dropped from memory.
   */
  append(runId: string, ticks: readonly Tick[]): void | Promise<void>;
}

export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly journal: Journal | null;
}
