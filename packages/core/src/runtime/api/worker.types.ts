/** Types of `runtime.workers` and `runtime.queues`. */

import type { DoneBy } from "../../host.js";
import type { LineCounts } from "../store/run-store.types.js";
import type { TenantOptions } from "./run-filter.types.js";
import type { QueueOptions } from "./runtime-options.types.js";

/** A process that executes runs of the store. */
export interface WorkerState {
  /** Unique, and new with each start of the process. */
  readonly id: string;
  /** Name of its machine; `""` where the host does not say. */
  readonly host: string;
  readonly pid: number | null;
  /** Version of the program: the option `version` of its runtime; `""` for none. */
  readonly version: string;
  readonly startedAtMs: number;
  /**
   * Its last heartbeat, in epoch milliseconds by its own clock. It sends one with every renewal of its leases, and one with every second
   * renewal while nothing else here changes.
   */
  readonly beatAtMs: number;
  /** `false` if its lease has run out since the last heartbeat. Other processes take its runs. */
  readonly isAlive: boolean;
  /** Runs in its memory at the last heartbeat. */
  readonly runs: number;
  /** Number of those runs that hold a place of a queue. */
  readonly places: number;
  /** The most runs that it works on at once; `null` for no limit. */
  readonly maxRuns: number | null;
  /** Workflows that it has the code of. */
  readonly workflows: readonly string[];
  /** Queues that it names, with the limits in its options. */
  readonly queues: { readonly [name: string]: QueueLimitsShown };
}

/**
 * The processes that execute runs of the store. One that stops is gone from the list; one that dies stays for a day, and is no longer
 * alive when its lease has run out. Processes with `execute: false`, and those over Restate, are not in it.
 */
export interface RuntimeWorkers {
  /** The living ones first, then by their start. */
  list(): Promise<readonly WorkerState[]>;
}

// ---- types of `runtime.queues`

/** Limits of a queue; `null` for no limit. */
export interface QueueLimitsShown {
  readonly concurrency: number | null;
  readonly perKey: number | null;
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
}

/** Limits that replace those in the options of all processes. One that is left out stays as it is; `null` means no limit. */
export type QueueLimitChange = {
  readonly [Name in "concurrency" | "perKey" | "rate"]?: NonNullable<QueueOptions[Name]> | null;
};

/** A queue and its line, over all tenants. */
export interface QueueState extends LineCounts {
  readonly name: string;
  /** No run gets a place until `resume`. Runs that have one keep it. */
  readonly paused: boolean;
  /** The limits that hold, paused or not. */
  readonly limits: QueueLimitsShown;
  /** The limits in the options of this process, or else of a living one; `null` if none names the queue. */
  readonly configured: QueueLimitsShown | null;
  /** When it was paused, resumed or limited by a call, in epoch milliseconds; `null` if all is as configured. */
  readonly changedAtMs: number | null;
  /** Who did that. */
  readonly changedBy: DoneBy | null;
  /** Number of living processes that take its runs. */
  readonly workers: number;
  /** How many of its runs got a place in the last five minutes, by the heartbeats of the living processes. */
  readonly taken: number;
  /** Keys with runs, at most 100, the longest lines first. */
  readonly keys: readonly (LineCounts & { readonly key: string })[];
}

/** Where a run stands in the line of its queue. */
export interface QueuePosition {
  readonly queue: string;
  /** 1 is next. Keys take turns; a key at its limit may be passed over, so it is a good guess and no promise. */
  readonly position: number;
  readonly waiting: number;
  readonly paused: boolean;
  /**
   * Milliseconds until its turn at the pace of the last five minutes. `null` where that says nothing: fewer than three runs got a place,
   * or the queue is paused.
   */
  readonly estimateMs: number | null;
}

interface ByOptions {
  /** Who does it. It is stored with the queue, and in the audit. @default not known */
  readonly by?: DoneBy;
}

/**
 * The queues of the store. Changes are stored, hold for all processes over what their options say, and survive restarts. A claim that
 * begins after a change obeys it; an idle process may need a third of `leaseMs` to look.
 */
export interface RuntimeQueues {
  /** Queues that a living process names, or that were changed, by name. */
  list(): Promise<readonly QueueState[]>;
  /** `null` if no living process names the queue, and it was never changed. */
  get(name: string): Promise<QueueState | null>;
  /** No run of the queue gets a place until `resume`. @throws {WorkflowError} `OPTION_INVALID` */
  pause(name: string, options?: ByOptions): Promise<QueueState>;
  /** @throws {WorkflowError} `OPTION_INVALID` */
  resume(name: string, options?: ByOptions): Promise<QueueState>;
  /** Changes limits. Runs that have a place keep it, also beyond a lower limit. @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
  limit(name: string, change: QueueLimitChange, options?: ByOptions): Promise<QueueState>;
  /** Takes all changed limits back: those in the options hold again. A pause stays. @throws {WorkflowError} `OPTION_INVALID` */
  reset(name: string, options?: ByOptions): Promise<QueueState>;
  /** `null` for a run that is not in the line of a queue. @throws {WorkflowError} `RUN_UNKNOWN` */
  position(runId: string, options?: TenantOptions): Promise<QueuePosition | null>;
}
