/**
 * Counts of stores: ends of runs and of attempts, by workflow, step, version, time and duration.
 *
 * A measure is counted in the transaction of the commit that carries it, so a crash neither loses nor repeats it. Counts stay
 * when their run is deleted: `deleteStatistics` deletes them by age.
 *
 * @module
 */

/** Milliseconds of one time slot. Counts are kept by slot: epoch milliseconds divided by this, rounded down. */
export const SLOT_MS = 3_600_000;

export type MeasureStatus = "completed" | "failed" | "cancelled" | "timedOut";

/** Something that has ended: a run, an attempt of a step, or a run with the failure that ended it. */
export interface Measure {
  readonly workflow: string;
  /** `null` for a run. With a `failure`: the step that failed; `null` if the run itself did. */
  readonly step: string | null;
  /** Version of the code; `null` if it is not known. */
  readonly version: string | null;
  readonly status: MeasureStatus;
  readonly atMs: number;
  /** Number of the range that the duration lies in: see `durationRange`. */
  readonly range: number;
  readonly failure: MeasuredFailure | null;
}

/** Facts that failures of one kind share. */
export interface MeasuredFailure {
  /** The same for all failures of the kind: 16 characters from a-f and 0-9. */
  readonly id: string;
  /** Step, code and message of the kind, as JSON that only the runtime reads. */
  readonly text: string;
}

/** `runs` and `attempts` are measures without a failure, `failures` those with one. */
export type MeasureKind = "runs" | "attempts" | "failures";

export interface StatisticsQuery {
  readonly tenant: string;
  readonly kind: MeasureKind;
  /** Workflows to count. An empty list matches nothing. @default all */
  readonly workflows?: readonly string[];
  /** First slot, and the one after the last. */
  readonly fromSlot: number;
  readonly toSlot: number;
  /** Number of slots that are counted together, from `fromSlot` on. Integer, at least 1. */
  readonly slots: number;
}

/** Equal measures of one period, counted. */
export interface StatisticsRow extends Pick<Measure, "workflow" | "step" | "version" | "status" | "range"> {
  readonly failure: MeasuredFailure | null;
  /** Number of the period: 0 begins at `fromSlot`. */
  readonly period: number;
  readonly count: number;
  /** Times of the first and the last of them, in epoch milliseconds. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}
