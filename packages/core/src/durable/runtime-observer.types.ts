/**
 * What a runtime tells those who measure it: its commits, what it claims, and what it loses.
 *
 * Methods are called at once where something happens, and must not throw. Without an observer nothing here is made.
 *
 * @module
 */
import type { Telemetry } from "../inspect/telemetry.types.js";

export interface RuntimeObserver {
  /** A runtime was made. Gives what is called when it has stopped. */
  onRuntime?(runtime: ObservedRuntime): () => void;
  /** A transaction goes to the store. Gives what is called when it is stored, or could not be. */
  onCommit?(commit: ObservedCommit): (isStored: boolean) => void;
  /** A run that was due, and nobody's, is this process's now. */
  onClaim?(claim: ObservedClaim): void;
  /** A run was taken from this process, because its lease had run out. */
  onLeaseLost?(run: ObservedRun): void;
}

/** Telemetry that also measures the runtime that it is given to. */
export interface RuntimeTelemetry extends Telemetry {
  readonly runtime?: RuntimeObserver;
}

export interface ObservedRuntime {
  /** How many runs are in the memory of this process, at work or waiting. */
  readonly runsInMemory: number;
  /** The queues that this runtime was given. */
  readonly queues: readonly string[];
  /**
   * How many runs wait for a place of a queue, in all tenants: counted by lists of the store, at most `limit` for each tenant. It
   * costs one query for each tenant and each hundred runs.
   */
  queueDepth(queue: string, limit: number): Promise<number>;
}

export interface ObservedCommit {
  /** How many runs it stores something of. */
  readonly runs: number;
  readonly ticks: number;
  /** Length of all texts in it, in UTF-16 units. */
  readonly textLength: number;
}

export interface ObservedRun {
  readonly tenant: string;
  readonly runId: string;
  readonly workflow: string;
}

export interface ObservedClaim extends ObservedRun {
  /** Since when it was due, in epoch milliseconds: its time, a message, or the last change by a process that is gone. */
  readonly dueAtMs: number;
  readonly claimedAtMs: number;
}
