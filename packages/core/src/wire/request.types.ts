/**
 * Bodies and queries of requests. `null` counts as left out.
 *
 * @module
 */

type Fields = Readonly<Record<string, unknown>>;

/** What a start of runs says, now or by the calendar. */
interface StartFields {
  /** Fields, a JSON string of them, or an envelope. */
  readonly start_event?: string | Fields | null | undefined;
  /** Fields, where there is no `start_event`. */
  readonly kwargs?: Fields | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly queue?: string | null | undefined;
  readonly queue_key?: string | null | undefined;
  readonly priority?: number | null | undefined;
}

export interface StartBody extends StartFields {
  readonly handler_id?: string | null | undefined;
  readonly dedupe?:
    | {
        readonly key: string;
        readonly for: number | string;
        readonly failed?: "keep" | "replace" | null | undefined;
      }
    | null
    | undefined;
  /** Refused, unless it is `{}`. */
  readonly context?: unknown;
}

export interface ScheduleBody extends StartFields {
  readonly workflow_name: string;
  readonly cron: string;
  readonly timezone?: string | null | undefined;
  readonly overlap?: "skip" | "queue" | "allow" | null | undefined;
  readonly catch_up?: "last" | "all" | "none" | null | undefined;
}

/** What is edited of a schedule: a part that is left out stays. */
export interface ScheduleEditBody {
  readonly cron?: string | null | undefined;
  readonly timezone?: string | null | undefined;
  readonly start_event?: string | Fields | null | undefined;
}

export interface EventBody {
  readonly event: string | Fields;
  readonly step?: string | null | undefined;
}

export interface AnswerBody {
  readonly fields?: Fields | null | undefined;
  readonly meta?: unknown;
}

export interface CancelBody {
  readonly reason?: unknown;
}

export interface BulkBody {
  readonly action: "retry" | "resume" | "cancel" | "delete" | "answer";
  readonly handler_ids?: readonly string[] | null | undefined;
  readonly cancelled_by?: string | null | undefined;
  readonly handler_id?: string | null | undefined;
  readonly per_second?: number | null | undefined;
  readonly reason?: unknown;
  readonly fields?: Fields | null | undefined;
  readonly prompt?: string | null | undefined;
}

export interface ForkBody {
  readonly at: number;
  readonly handler_id?: string | null | undefined;
  readonly state?: Fields | null | undefined;
  readonly event?: Fields | null | undefined;
  readonly item?: number | null | undefined;
  readonly override?: CallOverrideBody | null | undefined;
}

/** What the function of one call of `ctx.run` gets. */
export interface CallOverrideBody {
  readonly item: number;
  /** Id of the call within its work item. */
  readonly call: string;
  readonly value: Fields;
}

// ---- queries: all values are texts in the end

type Param = string | number | boolean | readonly string[] | undefined;
type Params<Name extends string> = { readonly [Key in Name]?: Param };

export type ListFilterParams = Params<
  | "workflow_name"
  | "version"
  | "status"
  | "waiting"
  | "queued"
  | "label"
  | "input"
  | "queue"
  | "failure"
  | "failed_step"
  | "q"
  | "created_after"
  | "created_before"
>;
export type ListParams = ListFilterParams & Params<"sort" | "limit" | "cursor" | "sse">;
export type MatchParams = ListFilterParams & Params<"action" | "cancelled_by" | "most">;
export type CountParams = Params<"workflow_name" | "label">;
export type HandlerParams = Params<"wait" | "children">;
export type CancelParams = Params<"purge">;
export type StreamParams = Params<"sse" | "after_sequence" | "until" | "include_qualified_name">;
export type HistoryParams = Params<"after" | "before" | "limit" | "types" | "changes" | "sse">;
export type AttemptsParams = Params<"after" | "limit">;
export type MomentParams = Params<"run_id" | "item">;
export type ScheduleParams = Params<"prefix" | "limit" | "cursor">;
export type TestParams = Params<"redact">;
export type BudgetParams = Params<"day">;
export type OccurrenceParams = Params<"count">;
export type AuditParams = Params<"user" | "door" | "action" | "handler_id" | "workflow_name" | "limit" | "cursor">;
export type StatisticsParams = Params<"workflow_name" | "after" | "before" | "by">;
export type FailureParams = Params<"workflow_name" | "version" | "after" | "before" | "limit">;
export type HistogramParams = Omit<ListFilterParams, "q"> & Params<"periods">;
export type SessionParams = Params<"q" | "limit" | "cursor">;
