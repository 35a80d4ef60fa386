/**
 * What a runtime reports to its telemetry: its commits, the runs that it claims, and those that it loses.
 *
 * Methods are called synchronously, and must not throw. Without telemetry none of these values is made.
 *
 * @module
 */

import type { Telemetry } from "../../host.js";
export interface RuntimeObserver {
  /** Called when a runtime was created. Returns the function to call when it has stopped. */
  onRuntime?(runtime: ObservedRuntime): () => void;
  /** Called when a transaction is sent to the store. Returns the function to call when it is stored, or has failed. */
  onCommit?(commit: ObservedCommit): (isStored: boolean) => void;
  /** Called when this process has claimed a due run. */
  onClaim?(claim: ObservedClaim): void;
  /** Called when another process has taken a run from this one, because its lease had expired. */
  onLeaseLost?(run: ObservedRun): void;
}

/** Telemetry that also measures the runtime that it is given to. */
export interface RuntimeTelemetry extends Telemetry {
  readonly runtime?: RuntimeObserver;
}

export interface ObservedRuntime {
  /** Number of runs in the memory of this process, at work or waiting. */
  readonly runsInMemory: number;
  /** Names of the queues of this runtime. */
  readonly queues: readonly string[];
  /**
   * Number of runs that wait for a place of a queue, in all tenants, counted up to `limit` per tenant. Costs one query per tenant
   * and per hundred runs.
   */
  queueDepth(queue: string, limit: number): Promise<number>;
}

export interface ObservedCommit {
  /** Number of runs in the transaction. */
  readonly runs: number;
  readonly ticks: number;
  /** Length of all texts in the transaction, in UTF-16 code units. */
  readonly textLength: number;
}

export interface ObservedRun {
  readonly tenant: string;
  readonly runId: string;
  readonly workflow: string;
}

export interface ObservedClaim extends ObservedRun {
  /** Since when the run was due, in epoch milliseconds: its time, a message, or the last change by a process that died. */
  readonly dueAtMs: number;
  readonly claimedAtMs: number;
}
