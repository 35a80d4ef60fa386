/**
 * The data that travels over HTTP, as `packages/server/README.md` specifies it.
 *
 * @module
 */

import type { ChangedValue, RunAttempt } from "millrace/runtime";
import type {
  EventUse,
  JsonSchema,
  RunCounts,
  ServerConfig,
  SessionDetails,
  SessionPage,
  WorkflowDetails,
  WorkflowGraph,
} from "../about.types.js";
import type { QueueTicket } from "../call.types.js";
import type { ChildRun, HistoryTick, ListedStatus, PendingDelivery, RunMoment } from "../client.types.js";
import type { Schedule } from "../schedules.types.js";
import type { Wire } from "./renamed.js";

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
  readonly writer?: string;
  readonly call?: string;
}

export interface PromptRecord {
  readonly prompt_id: string;
  readonly event: Envelope;
  readonly run_id: string;
  readonly step: string | null;
  readonly asked_at: string | null;
  readonly due_at: string | null;
  readonly answer: { readonly type: string; readonly schema: JsonSchema } | null;
}

export interface HandlerRecord {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly run_id: string;
  readonly status: ListedStatus;
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
  readonly labels: Readonly<Record<string, string>>;
  readonly queue: (QueueTicket & { readonly has_place: boolean }) | null;
  readonly sealed: boolean;
  readonly forked_from: { readonly handler_id: string; readonly at: number } | null;
  /** Only of `GET /handlers/{id}`. */
  readonly ticks?: { readonly first: number; readonly last: number } | null;
  /** Only of `GET /handlers/{id}?children=true`. */
  readonly children?: readonly ChildRecord[];
}

export interface HandlerPage {
  readonly handlers: readonly HandlerRecord[];
  readonly cursor: string | null;
}

export type CountsRecord = Wire<RunCounts>;
export type ScheduleRecord = Wire<Schedule>;

export interface HistoryRecord {
  readonly number: number;
  readonly at: string;
  readonly run_id: string;
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  readonly changes?: readonly ChangedValue[];
  readonly tick: HistoryTick;
}

export type AttemptRecord = Wire<RunAttempt>;

export interface MomentRecord extends Wire<Omit<RunMoment, "isWaiting" | "prompts" | "next">> {
  readonly waiting: boolean;
  readonly prompts: readonly PromptRecord[];
  readonly next: readonly DeliveryRecord[];
}

export type ChildRecord = Wire<ChildRun>;

/** What a fork delivers first. */
export interface DeliveryRecord extends Wire<Omit<PendingDelivery, "event">> {
  readonly event: Envelope;
}

export type WorkflowRecord = Wire<WorkflowDetails>;

export interface WorkflowList {
  readonly workflows: readonly string[];
  readonly details: readonly WorkflowRecord[];
}

export interface EventsRecord {
  readonly events: readonly JsonSchema[];
  readonly roles: Readonly<Record<string, Wire<EventUse>>>;
}

export interface SchemasRecord {
  readonly start: JsonSchema;
  readonly stop: JsonSchema;
}

export interface GraphRecord {
  readonly graph: WorkflowGraph;
  readonly mermaid: string;
}

export type SessionPageRecord = Wire<SessionPage>;
export type SessionDetailsRecord = Wire<SessionDetails>;
export type ConfigRecord = Wire<ServerConfig>;
