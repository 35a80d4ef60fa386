/**
 * Answers of a server about its queues, workers, budgets and statistics, and requests that change them.
 *
 * @module
 */

import type { CountsRecord, DoneByRecord } from "./run.types.js";

/** `null` for no limit. */
export interface QueueLimitsRecord {
  readonly concurrency: number | null;
  readonly per_key: number | null;
  readonly rate: { readonly limit: number; readonly per_ms: number } | null;
}

/** Limits that replace those of all processes: one that is left out stays. */
export type QueueLimitBody = Partial<QueueLimitsRecord>;

export interface LineRecord {
  readonly waiting: number;
  readonly placed: number;
  /** When the run that waits the longest began to need its place. */
  readonly oldest_at: string | null;
}

export interface QueueStateRecord extends LineRecord {
  readonly name: string;
  readonly paused: boolean;
  readonly limits: QueueLimitsRecord;
  /** Limits as the options of processes set them; `null` if no living process names the queue. */
  readonly configured: QueueLimitsRecord | null;
  readonly changed_at: string | null;
  readonly changed_by: DoneByRecord | null;
  readonly workers: number;
  readonly taken: number;
  readonly keys: readonly (LineRecord & { readonly key: string })[];
}

export interface QueueListRecord {
  readonly queues: readonly QueueStateRecord[];
}

export interface QueuePositionRecord {
  readonly queue: string;
  readonly position: number;
  readonly waiting: number;
  readonly paused: boolean;
  readonly estimate_ms: number | null;
}

export interface PositionRecord {
  /** `null` if the run is not in the line of a queue. */
  readonly position: QueuePositionRecord | null;
}

export interface WorkerRecord {
  readonly id: string;
  readonly host: string;
  readonly pid: number | null;
  readonly version: string;
  readonly started_at: string;
  readonly beat_at: string;
  readonly alive: boolean;
  readonly runs: number;
  readonly places: number;
  readonly max_runs: number | null;
  readonly workflows: readonly string[];
  readonly queues: Readonly<Record<string, QueueLimitsRecord>>;
}

export interface WorkerListRecord {
  readonly workers: readonly WorkerRecord[];
}

export interface AmountsRecord {
  readonly tokens: number;
  readonly usd: number;
  readonly calls: number;
}

export interface BudgetRecord {
  readonly spent: AmountsRecord;
  readonly reserved: AmountsRecord;
  /** A unit without a limit is left out. */
  readonly allowed: Partial<AmountsRecord>;
}

export interface DaySpendingRecord {
  readonly day: string;
  readonly timezone: string;
  readonly tenants: readonly (BudgetRecord & { readonly tenant: string })[];
}

// ---- statistics as they travel

export interface CountedTimeRecord {
  readonly from: string;
  readonly to: string;
  readonly period_ms: number;
}

export interface FiguresRecord {
  readonly count: number;
  readonly failed: number;
  readonly failure_rate: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface WorkflowFiguresRecord extends FiguresRecord {
  readonly workflow_name: string;
  /** When versions were asked for; `null` for runs whose version is not known. */
  readonly version?: string | null;
  readonly periods: readonly (FiguresRecord & { readonly at: string })[];
  readonly steps: readonly (FiguresRecord & { readonly step: string })[];
}

export interface StatisticsRecord extends CountedTimeRecord {
  readonly workflows: readonly WorkflowFiguresRecord[];
}

export interface FailureGroupRecord {
  readonly id: string;
  readonly workflow_name: string;
  readonly step: string | null;
  readonly code: string | null;
  readonly message: string;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly versions: readonly { readonly version: string | null; readonly count: number }[];
  readonly periods: readonly { readonly at: string; readonly count: number }[];
}

export interface FailuresRecord extends CountedTimeRecord {
  readonly groups: readonly FailureGroupRecord[];
}

export interface HistogramRecord extends CountedTimeRecord {
  readonly bars: readonly { readonly at: string; readonly counts: CountsRecord["status"] }[];
}
