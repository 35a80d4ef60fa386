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
  readonly tick: HistoryTick;
}

/** A tick, as the engine records it. */
export interface HistoryTick {
  readonly type: string;
  readonly [name: string]: unknown;
}
