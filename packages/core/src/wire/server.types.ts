/**
 * Answers of a server about its workflows, schedules, sessions, queues, workers, budgets, statistics and itself, its errors, and
 * requests that change queues and budgets.
 *
 * @module
 */
import type { AnsweredRecord, CountsRecord, DoneByRecord, JsonSchema, QueueRecord, WireStatus } from "./run.types.js";

export interface WorkflowRecord {
  readonly name: string;
  readonly kind: "workflow" | "pipeline";
  readonly description: string | null;
  readonly counts: CountsRecord;
  readonly last_run: {
    readonly handler_id: string;
    readonly status: WireStatus;
    readonly started_at: string;
  } | null;
}

export interface WorkflowList {
  readonly workflows: readonly string[];
  readonly details: readonly WorkflowRecord[];
}

export interface SchemasRecord {
  readonly start: JsonSchema;
  readonly stop: JsonSchema;
}

export type WireEventRole =
  | "start"
  | "stop"
  | "event"
  | "input_required"
  | "human_response"
  | "external"
  | "step_failed"
  | "terminal"
  | "engine";

export interface EventsRecord {
  readonly events: readonly JsonSchema[];
  readonly roles: Readonly<Record<string, { readonly role: WireEventRole; readonly sendable: boolean }>>;
}

/** The graph is that of `describeWorkflow`, of `millrace/graph`. */
export interface GraphRecord<Graph> {
  readonly graph: Graph;
  readonly mermaid: string;
}

/** The start event of the runs of a schedule. `meta` describes values that JSON cannot hold. */
export interface ScheduleStartRecord {
  readonly type: string;
  readonly value: unknown;
  readonly meta?: unknown;
}

export interface ScheduleRecord {
  readonly name: string;
  readonly workflow_name: string;
  readonly start: ScheduleStartRecord;
  /** Parts that were edited, as they were before. */
  readonly edited: {
    readonly cron?: string;
    readonly timezone?: string;
    readonly start?: ScheduleStartRecord;
    readonly at: string;
    readonly by: DoneByRecord | null;
  } | null;
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catch_up: "last" | "all" | "none";
  readonly queue: QueueRecord | null;
  readonly paused: boolean;
  readonly next_at: string | null;
  readonly last: { readonly at: string; readonly handler_id: string } | null;
  readonly queued_at: readonly string[];
  readonly skips: readonly { readonly at: string; readonly reason: "overlap" | "missed" }[];
}

export interface ScheduleListRecord {
  readonly schedules: readonly ScheduleRecord[];
  readonly cursor: string | null;
}

export type AuditActionRecord =
  | "start"
  | "fork"
  | "answer"
  | "send"
  | "cancel"
  | "resume"
  | "retry"
  | "delete"
  | `queue.${"pause" | "resume" | "limit" | "reset"}`
  | `schedule.${"set" | "pause" | "resume" | "edit" | "reset" | "start" | "delete"}`;

/** One thing that was done to a run, a queue or a schedule. */
export interface AuditRecord {
  readonly at: string;
  readonly action: AuditActionRecord;
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly by: DoneByRecord;
  /** Id of the prompt of an answer. */
  readonly prompt_id?: string;
  readonly queue?: string;
  readonly schedule?: string;
}

export interface AuditPageRecord {
  readonly entries: readonly AuditRecord[];
  readonly cursor: string | null;
}

export interface SessionRecord {
  readonly session_id: string;
  readonly user_id: string | null;
  readonly name: string | null;
  readonly runs: number;
  readonly updated_at: string;
}

export interface SessionPageRecord {
  readonly sessions: readonly SessionRecord[];
  readonly cursor: string | null;
}

export interface SessionDetailsRecord {
  readonly session_id: string;
  readonly user_id: string | null;
  readonly state: unknown;
  readonly runs: readonly SessionRunRecord[];
  readonly messages?: readonly unknown[];
}

export interface SessionRunRecord {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly at: string;
  readonly status: string;
}

/** An action of a caller on runs. `override`: a model call of a fork. `operate`: queues and schedules. */
export type Deed =
  | "start"
  | "send"
  | "answer"
  | "cancel"
  | "resume"
  | "retry"
  | "fork"
  | "override"
  | "delete"
  | "operate";

export interface ConfigRecord {
  readonly version: string;
  readonly read_only: boolean;
  readonly may: Readonly<Record<Deed, boolean>>;
  readonly tenant: string | null;
  readonly client: string | null;
  readonly tenants: boolean;
  readonly metrics: boolean;
  readonly audit: boolean;
  readonly queues: boolean;
  readonly budgets: boolean;
  readonly schedules: boolean;
  readonly sources: boolean;
  readonly tests: boolean;
}

/** The answer to a request that failed. */
export interface ErrorAnswer {
  readonly detail: string;
  readonly code: string;
  readonly hint?: string;
  /** Id of the entry in the log of the server. */
  readonly id?: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  /** The answer that counts, with `PROMPT_CLOSED`. */
  readonly answered?: AnsweredRecord;
}

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
