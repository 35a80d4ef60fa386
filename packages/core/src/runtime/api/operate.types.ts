/**
 * Types of `runtime.statistics`: how often runs and steps end, how, how long they take, and why they fail. Also those of
 * `runtime.workers` and `runtime.queues`.
 *
 * @module
 */

import type { DoneBy } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { LineCounts, QueueLimits, StoredStatus } from "../store/run-store.types.js";
import type { CallerOptions, RunFilter, TenantOptions } from "./run-filter.types.js";
import type { QueueOptions } from "./runtime-options.types.js";

/** Filter of ended runs and attempts by time. The store counts by hours: `after` and `before` are rounded outwards. */
export interface StatisticsFilter extends TenantOptions {
  /** Workflow to count, with its steps and over time. @default all workflows, without either */
  readonly workflow?: string;
  /** Workflows to count. An empty list matches nothing. @default all */
  readonly workflows?: readonly string[];
  /** Earliest end, included; a number is epoch milliseconds. @default 24 hours before `before` */
  readonly after?: Date | number;
  /** Latest end, excluded; a number is epoch milliseconds. @default now */
  readonly before?: Date | number;
  /** `"version"`: one entry for each version of the code. @default one entry for each workflow */
  readonly by?: "version";
}

/** Figures of what has ended: of runs, or of attempts of a step. */
export interface Figures {
  readonly count: number;
  /** How many of them failed or timed out. */
  readonly failed: number;
  /** `failed` of `count`, from 0 to 1. */
  readonly failureRate: number;
  /**
   * Half of them, and 95 percent, took at most so many milliseconds, waits included. At most 5 percent off. Cancelled ones are left
   * out; `null` without any other.
   */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Figures of one period. */
export interface PeriodFigures extends Figures {
  /** When it begins, in epoch milliseconds. */
  readonly atMs: number;
}

/** Figures of the attempts of a step: each failed attempt that is retried counts, too. */
export interface StepFigures extends Figures {
  readonly step: string;
}

export interface WorkflowFigures extends Figures {
  readonly workflow: string;
  /** Version of the runs, with `by: "version"`; `null` for runs whose version is not known. */
  readonly version?: string | null;
  /** The periods in which a run ended, in order. Empty unless one `workflow` was asked for. */
  readonly periods: readonly PeriodFigures[];
  /** Steps, those with the most failures first. Empty unless one `workflow` was asked for. */
  readonly steps: readonly StepFigures[];
}

export interface CountedTime {
  /** The time that is counted, in epoch milliseconds: from the first on, to before the second. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Length of a period, in milliseconds. */
  readonly periodMs: number;
}

export interface Statistics extends CountedTime {
  /** Workflows, in the order of their names, then of their versions. */
  readonly workflows: readonly WorkflowFigures[];
}

/** Filter of grouped failures. Times are those of {@link StatisticsFilter}. */
export interface FailureFilter extends Omit<StatisticsFilter, "by"> {
  /** Version of the code. @default all */
  readonly version?: string;
  /** How many groups to return, those with the most failures first: 1 to 1,000. @default 100 */
  readonly limit?: number;
}

/** Runs that failed alike: at the same step, with the same code and message once numbers, ids and quoted values are left out. */
export interface FailureGroup {
  /** Id for `runtime.runs({ failure: id })`, which lists the runs of the group that have not continued since. */
  readonly id: string;
  readonly workflow: string;
  /** `null` if the run itself failed. */
  readonly step: string | null;
  /** `null` for an error without a code. */
  readonly code: string | null;
  /** Message with `<number>`, `<id>`, `<value>`, `<url>` and `<email>` in place of data; at most 300 characters. */
  readonly message: string;
  /** How often runs failed that way in the time; a run that was retried may count again. */
  readonly count: number;
  /** First and last of them, in epoch milliseconds. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The most frequent version first. */
  readonly versions: readonly { readonly version: string | null; readonly count: number }[];
  /** The periods with a failure, in order. */
  readonly periods: readonly { readonly atMs: number; readonly count: number }[];
}

export interface Failures extends CountedTime {
  readonly groups: readonly FailureGroup[];
}

/** Filter of runs that are counted over time: those that `runs` lists. */
export interface HistogramFilter extends Omit<RunFilter, "search" | "order" | "limit" | "cursor"> {
  /** @default seven days before `createdBefore` */
  readonly createdAfter?: Date | number;
  /** @default now */
  readonly createdBefore?: Date | number;
  /** Maximum number of periods: 1 to 500. @default 60 */
  readonly periods?: number;
}

/** Runs by the time of their creation. */
export interface Histogram extends CountedTime {
  /** The periods with a run, in order. */
  readonly bars: readonly {
    readonly atMs: number;
    readonly counts: { readonly [Status in StoredStatus]?: number };
  }[];
}

/**
 * Counts of ended runs and attempts, which a store adds in the transaction that stores the end: a crash neither loses nor
 * repeats it.
 *
 * A run that ends again after `retry` or `resume` counts again, from then on. Counts stay when the run is deleted.
 * `memoryStore` keeps seven days. Restate counts nothing: these calls reject with `RESTATE_UNSUPPORTED`.
 */
export interface RuntimeStatistics {
  /** How many runs and attempts have ended, how many of them failed, and how long they took. @throws {WorkflowError} `OPTION_INVALID` */
  figures(filter?: StatisticsFilter): Promise<Statistics>;
  /** Groups the failures of runs by step and message. @throws {WorkflowError} `OPTION_INVALID` */
  failures(filter?: FailureFilter): Promise<Failures>;
  /**
   * Counts stored runs by the time of their creation and by status. It reads an index entry of every run that it counts.
   *
   * @throws {WorkflowError} `OPTION_INVALID`
   */
  histogram(filter?: HistogramFilter): Promise<Histogram>;
  /**
   * Deletes what was counted before, in whole hours, of one tenant or of all. Returns how many rows were deleted.
   *
   * @throws {WorkflowError} `OPTION_INVALID`
   */
  delete(options: { readonly tenant?: string; readonly olderThan: Duration }): Promise<number>;
}

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
export interface QueueLimitsShown extends Omit<QueueLimits, "name"> {}

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

/**
 * The queues of the store. Changes are stored with who made them, hold for all processes over what their options say, and survive restarts. A claim that
 * begins after a change obeys it; an idle process may need a third of `leaseMs` to look.
 */
export interface RuntimeQueues {
  /** Queues that a living process names, or that were changed, by name. */
  list(): Promise<readonly QueueState[]>;
  /** `null` if no living process names the queue, and it was never changed. */
  get(name: string): Promise<QueueState | null>;
  /** No run of the queue gets a place until `resume`. @throws {WorkflowError} `OPTION_INVALID` */
  pause(name: string, options?: CallerOptions): Promise<QueueState>;
  /** @throws {WorkflowError} `OPTION_INVALID` */
  resume(name: string, options?: CallerOptions): Promise<QueueState>;
  /** Changes limits. Runs that have a place keep it, also beyond a lower limit. @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
  limit(name: string, change: QueueLimitChange, options?: CallerOptions): Promise<QueueState>;
  /** Takes all changed limits back: those in the options hold again. A pause stays. @throws {WorkflowError} `OPTION_INVALID` */
  reset(name: string, options?: CallerOptions): Promise<QueueState>;
  /** `null` for a run that is not in the line of a queue. @throws {WorkflowError} `RUN_UNKNOWN` */
  position(runId: string, options?: TenantOptions): Promise<QueuePosition | null>;
}
