/** Statistics as they travel. */
import type { CountsRecord } from "./run.types.js";

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
