/** What has ended: how often, how, and how long it took. */
import type { CountedTime, Failures, Statistics } from "millrace/runtime";
import type { CallOptions, RunLabels } from "./call.types.js";

type ListedStatus = "running" | "completed" | "failed" | "cancelled" | "waiting" | "queued";

/** A run that waits is not counted as running here. */
export interface StatusCounts {
  readonly total: number;
  readonly status: {
    readonly running: number;
    readonly waiting: number;
    readonly queued: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
  };
}

/** What has ended in a time; a number is epoch milliseconds. The server counts by hours. */
export interface StatisticsFilter<Name extends string = string> extends CallOptions {
  /** With one workflow, the answer has its steps, too. @default all */
  readonly workflow?: Name | readonly Name[];
  /** @default 24 hours before `before` */
  readonly after?: Date | number;
  /** @default now */
  readonly before?: Date | number;
  /** `"version"`: one entry for each version of the code. */
  readonly by?: "version";
}

export interface FailureFilter<Name extends string = string> extends Omit<StatisticsFilter<Name>, "by"> {
  /** Only failures of this version of the code. @default all */
  readonly version?: string;
  /** How many groups: 1 to 1,000. @default 100 */
  readonly limit?: number;
}

/** Which runs are counted over time: those of a list. Without `createdAfter`, those of seven days. */
export interface HistogramFilter<Name extends string = string> extends CallOptions {
  readonly workflow?: Name | readonly Name[];
  readonly status?: ListedStatus | readonly ListedStatus[];
  readonly waiting?: boolean;
  readonly queued?: boolean;
  readonly version?: string;
  readonly labels?: RunLabels;
  readonly input?: Readonly<Record<string, string | number | boolean | null>>;
  readonly queue?: string;
  readonly createdAfter?: Date | number;
  readonly createdBefore?: Date | number;
  readonly failure?: string;
  readonly failedStep?: string;
  /** Maximum number of bars: 1 to 500. @default 60 */
  readonly periods?: number;
}

/** Runs by the time of their creation. */
export interface Histogram extends CountedTime {
  /** The periods with a run, in order. */
  readonly bars: readonly { readonly atMs: number; readonly counts: StatusCounts["status"] }[];
}

/** Reads what has ended, and runs over time. */
export interface ClientStatistics<Known> {
  /** Reads how many runs have ended, how many of them failed, and how long they took. */
  statistics(filter?: StatisticsFilter<keyof Known & string>): Promise<Statistics>;
  /** Lists failures of runs, grouped by step and message. */
  failures(filter?: FailureFilter<keyof Known & string>): Promise<Failures>;
  /** Counts the runs of a list by the time of their creation. */
  histogram(filter?: HistogramFilter<keyof Known & string>): Promise<Histogram>;
}
