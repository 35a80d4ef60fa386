/**
 * Bodies and queries of requests, in which `null` counts as left out, and the names of the HTTP API.
 *
 * @module
 */

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a start of runs, now or by the calendar. */
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

/** Edited parts of a schedule; an absent part stays. */
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

/** Override that the function of one call of `ctx.run` gets. */
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

// ---- names of the HTTP API: its routes, its headers and the types of its Server-Sent Events
// They are types, so that they cost no client a byte: server and client write them as they are, and the compiler refuses
// others.

/** Method and path, with the parameters of the path in braces. */
export type Route =
  | "GET /handlers"
  | "GET /handlers/counts"
  | "GET /handlers/matching"
  | "POST /handlers/bulk"
  | "GET /handlers/{id}"
  | "POST /handlers/{id}/cancel"
  | "POST /handlers/{id}/resume"
  | "POST /handlers/{id}/retry"
  | "POST /handlers/{id}/fork"
  | "GET /handlers/{id}/history"
  | "GET /handlers/{id}/attempts"
  | "GET /handlers/{id}/at/{tick}"
  | "GET /handlers/{id}/snapshot"
  | "GET /handlers/{id}/position"
  | "GET /handlers/{id}/budget"
  | "GET /handlers/{id}/test"
  | "GET /handlers/{id}/prompts"
  | "POST /handlers/{id}/prompts/{promptId}"
  | "GET /events/{id}"
  | "POST /events/{id}"
  | "GET /results/{id}"
  | "GET /workflows"
  | "POST /workflows/{name}/run"
  | "POST /workflows/{name}/run-nowait"
  | "GET /workflows/{name}/schema"
  | "GET /workflows/{name}/events"
  | "GET /workflows/{name}/representation"
  | "GET /workflows/{name}/steps/{step}/source"
  | "GET /audit"
  | "GET /statistics"
  | "GET /statistics/failures"
  | "GET /statistics/histogram"
  | "GET /schedules"
  | "GET /schedules/{name}"
  | "PUT /schedules/{name}"
  | "DELETE /schedules/{name}"
  | "POST /schedules/{name}/pause"
  | "POST /schedules/{name}/resume"
  | "GET /schedules/{name}/next"
  | "POST /schedules/{name}/edit"
  | "POST /schedules/{name}/reset"
  | "POST /schedules/{name}/start"
  | "GET /queues"
  | "GET /queues/{name}"
  | "POST /queues/{name}/pause"
  | "POST /queues/{name}/resume"
  | "POST /queues/{name}/limit"
  | "POST /queues/{name}/reset"
  | "GET /workers"
  | "GET /budgets"
  | "GET /sessions"
  | "GET /sessions/{id}"
  | "GET /studio/config"
  | "GET /health"
  | "GET /metrics"
  | "POST /tick";

/** Path of a route. */
export type Path = PathOf<Route>;
type PathOf<Every extends Route> = Every extends `${string} ${infer One}` ? One : never;

/** The names of the parameters of a path. */
export type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never;

/** Headers of requests that mean something here. */
export type HeaderName =
  /** A second request with the same key is the first one. */
  | "idempotency-key"
  /** Where a stream continues. */
  | "last-event-id";

/** Types of the Server-Sent Events of the list of runs, and of the end of a history. All others have none. */
export type SseType = "open" | "changed" | "gone" | "reset" | "end";
