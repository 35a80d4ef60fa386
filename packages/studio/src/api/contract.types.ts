/**
 * What travels between the studio and the server, as "The contract" of `packages/server/README.md` specifies it.
 *
 * @module
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** A JSON schema, as far as the studio reads it by itself. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

export interface Envelope {
  readonly value: Json;
  readonly type: string;
  readonly meta?: unknown;
}

export interface Prompt {
  readonly prompt_id: string;
  readonly event: Envelope;
  readonly run_id: string;
  readonly step: string;
  readonly asked_at: string;
  readonly due_at: string | null;
  /** The event that answers it, and its JSON schema. */
  readonly answer: { readonly type: string; readonly schema: JsonSchema } | null;
}

export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export interface ChildRun {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly status: RunStatus;
  readonly started_at: string;
}

export interface Handler {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly started_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly result: Envelope | null;
  readonly waiting: boolean;
  readonly prompts: readonly Prompt[];
  readonly wake_at: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly queue: {
    readonly name: string;
    readonly key: string;
    readonly priority: number;
    readonly has_place: boolean;
  } | null;
  readonly sealed: boolean;
  readonly forked_from?: { readonly handler_id: string; readonly at: number } | null;
  /** Bounds of the history that is kept. */
  readonly ticks?: { readonly first: number; readonly last: number } | null;
  readonly parent?: Json;
  /** Only of `GET /handlers/{id}`. */
  readonly children?: readonly ChildRun[];
}

export interface HandlerPage {
  readonly handlers: readonly Handler[];
  readonly cursor: string | null;
}

export interface Counts {
  readonly running: number;
  readonly waiting: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface HandlerCounts {
  readonly total: number;
  readonly status: Counts;
  readonly workflows: readonly { readonly workflow_name: string; readonly total: number; readonly status: Counts }[];
}

export type Path = readonly (string | number)[];

/** `old` is absent for what was added, `new` for what was deleted. */
export interface Change {
  readonly path: Path;
  readonly old?: Json;
  readonly new?: Json;
}

/** A tick, as the engine records it. */
export interface Tick {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface HistoryEntry {
  readonly number: number;
  readonly at: string;
  readonly run_id: string;
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  readonly changes?: readonly Change[];
  readonly tick: Tick;
}

export interface Wait {
  readonly kind: "event" | "sleep" | "child";
  readonly from: string;
  readonly from_tick: number;
  readonly to: string | null;
  readonly to_tick: number | null;
  readonly prompt_id?: string;
  readonly until?: string;
  readonly run_id?: string;
}

export interface Attempt {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
  readonly started_at: string;
  readonly started_tick: number;
  readonly ended_at: string | null;
  readonly ended_tick: number | null;
  readonly status: "queued" | "running" | "waiting" | "completed" | "failed" | "retrying" | "restarted" | "cancelled";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly final: boolean;
  readonly retry_at: string | null;
  readonly event_type: string | null;
  readonly waits: readonly Wait[];
}

/** Counts of the items of a step; `caught` are the failed ones that a handler took. */
export interface StepAt {
  readonly run_id: string;
  readonly step: string;
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  readonly retrying: number;
  readonly done: number;
  readonly failed: number;
  readonly caught: number;
}

/** A run as it was after a tick. */
export interface Moment {
  readonly number: number;
  readonly at: string;
  readonly status: RunStatus;
  readonly state: Json;
  readonly steps: readonly StepAt[];
  readonly prompts: readonly Prompt[];
  /** What a fork from here delivers first. */
  readonly next?: readonly Delivery[];
}

/** An item that has begun with nothing yet, and its event. */
export interface Delivery {
  readonly item: number;
  readonly step: string;
  readonly event: Envelope;
}

export interface WorkflowDetails {
  readonly name: string;
  readonly kind: "workflow" | "pipeline";
  readonly description: string | null;
  readonly counts: Counts;
  readonly last_run: { readonly handler_id: string; readonly status: RunStatus; readonly started_at: string } | null;
}

export interface WorkflowList {
  readonly workflows: readonly string[];
  readonly details: readonly WorkflowDetails[];
}

export interface WorkflowEvents {
  readonly events: readonly JsonSchema[];
  readonly roles: Readonly<Record<string, { readonly role: string; readonly sendable: boolean }>>;
}

export interface WorkflowSchema {
  readonly start: JsonSchema;
  readonly stop: JsonSchema;
}

export interface GraphNode {
  readonly kind: "step" | "event" | "resource" | "outside";
  readonly id: string;
  readonly name: string;
  /** What to show instead of the name. */
  readonly label?: string;
  /** Of a step: what makes it fire. */
  readonly trigger?: "event" | "collect" | "join" | "failure";
  /** Of a step: the fan-outs around it, from the outside inwards. */
  readonly levels?: readonly (readonly string[])[];
  /** Of a step: how many of its items run at once. */
  readonly workers?: number;
  readonly retry?: Json;
  /** Of an event. */
  readonly role?: string;
}

export interface GraphEdge {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

/** A container of a pipeline. */
export interface GraphGroup {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly parent: string | null;
  readonly nodes: readonly string[];
}

export interface WorkflowGraphData {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly groups?: readonly GraphGroup[];
}

export interface Session {
  readonly session_id: string;
  readonly user_id: string | null;
  readonly runs: number;
  readonly updated_at: string;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly cursor: string | null;
}

export interface SessionRun {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly input: Json;
  readonly output: Json;
  readonly at: string;
  readonly status: string;
}

export interface SessionDetails {
  readonly session_id: string;
  readonly state: Json;
  readonly runs: readonly SessionRun[];
  readonly messages?: readonly Json[];
}

export type Deed = "start" | "send" | "answer" | "cancel" | "resume" | "retry" | "fork" | "delete";

/** What the caller is and may do. */
export interface StudioConfig {
  readonly version: string;
  readonly read_only: boolean;
  readonly may: Readonly<Record<Deed, boolean>>;
  readonly tenant: string | null;
  readonly client: string | null;
  readonly tenants: boolean;
  readonly metrics: boolean;
}
