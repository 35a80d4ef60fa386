/**
 * The data that travels over HTTP, as `packages/server/README.md` specifies it.
 *
 * @module
 */

/** An event. */
export interface Envelope {
  /** Fields of the event. */
  readonly value: unknown;
  readonly type: string;
  /** Types that the event extends, nearest first. */
  readonly types?: readonly string[] | null;
  /** Describes the parts of `value` that stand for values which JSON cannot hold. */
  readonly meta?: unknown;
}

export interface StreamedEnvelope extends Envelope {
  readonly sequence: number;
  readonly origin?: string | null;
  readonly prompt_id?: string;
}

export interface PromptRecord {
  readonly prompt_id: string;
  readonly event: Envelope;
  readonly run_id: string;
  /** Servers before these were told do not send them. */
  readonly step?: string | null;
  readonly asked_at?: string | null;
  readonly due_at?: string | null;
  readonly answer?: { readonly type: string; readonly schema: { readonly [keyword: string]: unknown } } | null;
}

export interface HandlerRecord {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly started_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly result: Envelope | null;
  readonly waiting: boolean;
  readonly prompts: readonly PromptRecord[];
  readonly wake_at: string | null;
  readonly last_sequence: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Servers before queues do not send it. */
  readonly queue?: (QueueTicketRecord & { readonly has_place: boolean }) | null;
  /** Servers before moves do not send it. */
  readonly sealed?: boolean;
}

export interface QueueTicketRecord {
  readonly name: string;
  readonly key: string;
  readonly priority: number;
}

export interface ScheduleRecord {
  readonly name: string;
  readonly workflow_name: string;
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catch_up: "last" | "all" | "none";
  readonly queue: QueueTicketRecord | null;
  readonly paused: boolean;
  readonly next_at: string | null;
  readonly last: { readonly at: string; readonly handler_id: string } | null;
  readonly queued_at: readonly string[];
  readonly skips: readonly { readonly at: string; readonly reason: "overlap" | "missed" }[];
}

export interface HistoryRecord {
  readonly number: number;
  readonly at: string;
  readonly run_id: string;
  /** Servers of before do not send these. */
  readonly step?: string | null;
  readonly item?: number | null;
  readonly attempt?: number | null;
  readonly changes?: readonly ChangedValue[];
  readonly tick: HistoryTick;
}

/** One place of a state that has another value after a tick. */
export interface ChangedValue {
  /** Empty: the whole state. */
  readonly path: readonly (string | number)[];
  /** Left out: there was nothing. */
  readonly old?: unknown;
  /** Left out: there is nothing any more. */
  readonly new?: unknown;
}

export interface AttemptRecord {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
  readonly started_at: string;
  readonly started_tick: number;
  readonly ended_at: string | null;
  readonly ended_tick: number | null;
  readonly status: AttemptStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly final: boolean;
  readonly retry_at: string | null;
  readonly event_type: string | null;
  readonly waits: readonly {
    readonly kind: "event" | "sleep" | "child";
    readonly from: string;
    readonly from_tick: number;
    readonly to: string | null;
    readonly to_tick: number | null;
    readonly prompt_id?: string;
    readonly until?: string;
    readonly run_id?: string;
  }[];
}

/**
 * `queued`: it was answered, and waits for a free worker. `restarted`: the run was loaded again, or retried, before it ended; another
 * attempt repeats it.
 */
export type AttemptStatus =
  | "queued"
  | "running"
  | "waiting"
  | "completed"
  | "failed"
  | "retrying"
  | "restarted"
  | "cancelled";

/** How many work items of a step were where. */
export interface StepCounts {
  readonly step: string;
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  readonly retrying: number;
  /** Since the oldest tick that is kept, as `caught`. */
  readonly done: number;
  readonly failed: number;
  /** Failed for good, and an error handler or a settling batch took it. */
  readonly caught: number;
}

export interface MomentRecord {
  readonly number: number;
  readonly at: string;
  readonly status: HandlerRecord["status"];
  readonly waiting: boolean;
  readonly state: unknown;
  readonly steps: readonly (StepCounts & { readonly run_id: string })[];
  readonly prompts: readonly PromptRecord[];
  readonly next: readonly { readonly item: number; readonly step: string; readonly event: Envelope }[];
}

export interface ChildRecord {
  readonly run_id: string;
  readonly parent_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly status: HandlerRecord["status"];
  readonly started_at: string;
}

/** A tick, as the engine records it. */
export interface HistoryTick {
  readonly type: string;
  readonly [name: string]: unknown;
}
