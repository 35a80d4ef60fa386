/**
 * The data that travels over HTTP, as `packages/server/README.md` specifies it.
 *
 * @module
 */

import type { AttemptStatus, ChangedValue, StepMoment } from "millrace/runtime";
import type { Deed, JsonSchema, ShownEventRole, StatusCounts, WorkflowGraph } from "../about.types.js";

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
  readonly answer?: { readonly type: string; readonly schema: JsonSchema } | null;
}

export interface HandlerRecord {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly run_id: string;
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
  readonly forked_from?: { readonly handler_id: string; readonly at: number } | null;
  /** Only of `GET /handlers/{id}`. */
  readonly ticks?: { readonly first: number; readonly last: number } | null;
  /** Only of `GET /handlers/{id}?children=true`. */
  readonly children?: readonly ChildRecord[];
}

export interface HandlerPage {
  readonly handlers: readonly HandlerRecord[];
  /** A server of LlamaAgents has no pages. */
  readonly cursor?: string | null;
}

export interface CountsRecord extends StatusCounts {
  readonly workflows: readonly (StatusCounts & { readonly workflow_name: string })[];
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

export interface WaitRecord {
  readonly kind: "event" | "sleep" | "child";
  readonly from: string;
  readonly from_tick: number;
  readonly to: string | null;
  readonly to_tick: number | null;
  readonly prompt_id?: string;
  readonly until?: string;
  readonly run_id?: string;
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
  readonly waits: readonly WaitRecord[];
}

export interface MomentRecord {
  readonly number: number;
  readonly at: string;
  readonly status: HandlerRecord["status"];
  readonly waiting: boolean;
  readonly state: unknown;
  readonly steps: readonly StepRecord[];
  readonly prompts: readonly PromptRecord[];
  readonly next: readonly DeliveryRecord[];
  readonly closed: readonly string[];
}

export interface StepRecord extends Omit<StepMoment, "runId"> {
  readonly run_id: string;
}

/** What a fork delivers first. */
export interface DeliveryRecord {
  readonly item: number;
  readonly step: string;
  readonly event: Envelope;
  readonly editable: boolean;
  readonly reason: string | null;
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

export interface WorkflowRecord {
  readonly name: string;
  readonly kind: "workflow" | "pipeline";
  readonly description: string | null;
  readonly counts: StatusCounts;
  readonly last_run: {
    readonly handler_id: string;
    readonly status: HandlerRecord["status"];
    readonly started_at: string;
  } | null;
}

export interface WorkflowList {
  readonly workflows: readonly string[];
  readonly details: readonly WorkflowRecord[];
}

export interface EventsRecord {
  readonly events: readonly JsonSchema[];
  readonly roles: Readonly<Record<string, { readonly role: ShownEventRole; readonly sendable: boolean }>>;
}

export interface SchemasRecord {
  readonly start: JsonSchema;
  readonly stop: JsonSchema;
}

export interface GraphRecord {
  readonly graph: WorkflowGraph;
  readonly mermaid: string;
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

export interface SessionRunRecord {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly at: string;
  readonly status: string;
}

export interface SessionDetailsRecord {
  readonly session_id: string;
  readonly user_id: string | null;
  readonly state: unknown;
  readonly runs: readonly SessionRunRecord[];
  readonly messages?: readonly unknown[];
}

export interface ConfigRecord {
  readonly version: string;
  readonly read_only: boolean;
  readonly may: Readonly<Record<Deed, boolean>>;
  readonly tenant: string | null;
  readonly client: string | null;
  readonly tenants: boolean;
  readonly metrics: boolean;
  readonly sources: boolean;
}
