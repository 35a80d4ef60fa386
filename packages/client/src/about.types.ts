/**
 * Answers of a server about all of its runs, its workflows and sessions, and the caller.
 *
 * @module
 */
import type { GraphEdge, GraphGroup, GraphNode } from "millrace/graph";
import type { AuditAction } from "millrace/runtime";
import type { Deed } from "millrace/wire";
import type { CallOptions, RunLabels } from "./call.types.js";
import type { ClientStatistics, StatusCounts } from "./statistics.types.js";

export interface CountFilter<Name extends string = string> extends CallOptions {
  readonly workflow?: Name | readonly Name[];
  /** Labels that the runs have, each with exactly this value. */
  readonly labels?: RunLabels;
}

/** How many runs there are, as of the last second. */
export interface RunCounts extends StatusCounts {
  /** Only workflows that have runs. */
  readonly workflows: readonly (StatusCounts & { readonly workflow: string })[];
}

export interface WorkflowDetails {
  readonly name: string;
  readonly kind: "workflow" | "pipeline";
  readonly description: string | null;
  readonly counts: StatusCounts;
  /** The newest. */
  readonly lastRun: {
    readonly handlerId: string;
    readonly status: "running" | "completed" | "failed" | "cancelled";
    readonly startedAtMs: number;
  } | null;
}

export type ShownEventRole =
  | "start"
  | "stop"
  | "event"
  | "input_required"
  | "human_response"
  | "external"
  | "step_failed"
  | "terminal"
  | "engine";

/** What an event of a workflow is for. */
export interface EventUse {
  readonly role: ShownEventRole;
  /** Whether `run.sendEvent` takes it. */
  readonly isSendable: boolean;
}

export interface AuditFilter<Name extends string = string> extends CallOptions {
  /** Only what this person or program did. */
  readonly user?: string;
  /** Only what came through this door, such as `"chat"`. */
  readonly door?: string;
  readonly action?: AuditAction;
  /** Only of this run. */
  readonly handlerId?: string;
  readonly workflow?: Name | readonly Name[];
  /** Maximum number of entries: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/** One thing that was done to a run, a queue or a schedule. */
export interface AuditEntry {
  readonly atMs: number;
  /** `send`: the run may have refused the event. */
  readonly action: AuditAction;
  /** Of a fork, the new run. It may be deleted since. `""` where it was done to no run. */
  readonly handlerId: string;
  /** `""` for a queue. */
  readonly workflow: string;
  /** Who did it, where that is known, and through which door. */
  readonly by: { readonly user?: string; readonly door: string };
  /** Of an answer. */
  readonly promptId?: string;
  /** The queue or the schedule that was changed. */
  readonly queue?: string;
  readonly schedule?: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Cursor for the next page; `null` on the last one. A page may be empty and still have a successor. */
  readonly cursor: string | null;
}

export interface SessionFilter extends CallOptions {
  /** Only sessions whose ids begin with it. */
  readonly prefix?: string;
  /** Maximum number of sessions: 1 to 100. @default 50 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/** A session of a pipeline or an agent. */
export interface Session {
  readonly sessionId: string;
  readonly userId: string | null;
  readonly name: string | null;
  /** Of a pipeline at most 1,000, of an agent at most 100 are counted. */
  readonly runs: number;
  readonly updatedAtMs: number;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** Cursor for the next page; `null` on the last one. A page may be empty and still have a successor. */
  readonly cursor: string | null;
}

export interface SessionDetails {
  readonly sessionId: string;
  readonly userId: string | null;
  readonly state: unknown;
  /** The newest 50, the oldest of them first. */
  readonly runs: readonly SessionRun[];
  /** Messages of an agent in these runs. */
  readonly messages?: readonly unknown[];
}

export interface SessionRun {
  readonly handlerId: string;
  readonly workflow: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly atMs: number;
  /** As the session notes it: "COMPLETED" of a pipeline. */
  readonly status: string;
}

/** What the server is, and what the caller may do there. */
export interface ServerConfig {
  readonly version: string;
  readonly isReadOnly: boolean;
  readonly may: Readonly<Record<Deed, boolean>>;
  /** Whose runs the caller sees; `null` for those of no tenant. */
  readonly tenant: string | null;
  /** The caller, as the server identifies it. */
  readonly client: string | null;
  /** Whether callers are identified. */
  readonly hasTenants: boolean;
  /** Whether there is `GET /metrics`. */
  readonly hasMetrics: boolean;
  /** Whether the code of steps may be read. */
  readonly sources: boolean;
  /** Whether tests are made of runs. */
  readonly tests: boolean;
  /** Whether the caller may read the audit. */
  readonly audit: boolean;
  /** Whether the caller may read queues and workers. */
  readonly queues: boolean;
  /** Whether runs have budgets. */
  readonly budgets: boolean;
  /** Whether the caller may read schedules. */
  readonly schedules: boolean;
}

/** The code of a step, as its author wrote it. */
export interface StepSource {
  /** Path from the folder of the project. */
  readonly file: string;
  /** Line of the file with which `text` begins, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Reads about the server, beside its runs. */
export interface ClientFacts<Known> extends ClientStatistics<Known> {
  /** Counts runs. */
  counts(filter?: CountFilter<keyof Known & string>): Promise<RunCounts>;
  /** Lists the names of the workflows. */
  workflows(options?: CallOptions): Promise<readonly (keyof Known & string)[]>;
  /** Lists the workflows with their kinds, descriptions, counts and last runs. */
  workflowDetails(options?: CallOptions): Promise<readonly WorkflowDetails[]>;
  /** Reads the schemas of the events that start and end the runs of a workflow. */
  schema(
    workflow: keyof Known & string,
    options?: CallOptions,
  ): Promise<{ readonly start: JsonSchema; readonly stop: JsonSchema }>;
  /** Reads the schemas of all events of a workflow; `title` is the type of the event. */
  events(workflow: keyof Known & string, options?: CallOptions): Promise<readonly JsonSchema[]>;
  /** Reads, by the type of each event of a workflow, what it is for. */
  eventUses(workflow: keyof Known & string, options?: CallOptions): Promise<Readonly<Record<string, EventUse>>>;
  /** Reads the graph of a workflow, as data and as Mermaid text. */
  representation(
    workflow: keyof Known & string,
    options?: CallOptions,
  ): Promise<{ readonly graph: WorkflowGraph; readonly mermaid: string }>;
  /**
   * Reads the code of a step, where `config()` says `sources: true`.
   *
   * @throws {ClientError} `SOURCE_UNKNOWN` for a step whose code the server does not know.
   */
  stepSource(workflow: keyof Known & string, step: string, options?: CallOptions): Promise<StepSource>;
  /** Lists the sessions of pipelines, then those of agents, each by id, in pages. */
  sessions(filter?: SessionFilter): Promise<SessionPage>;
  /** Reads a session with its state and newest runs. */
  session(sessionId: string, options?: CallOptions): Promise<SessionDetails>;
  /** Lists who did what to runs, the newest first, in pages. For callers with the right `operate`. */
  audit(filter?: AuditFilter<keyof Known & string>): Promise<AuditPage>;
  /** Reads what the caller may do. */
  config(options?: CallOptions): Promise<ServerConfig>;
  /** Makes one attempt. `unhealthy`: the server responds but does not accept work. */
  health(options?: CallOptions): Promise<{ readonly status: "healthy" | "unhealthy" }>;
}

/** A JSON schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The steps and events of a workflow, and how they are connected. */
export interface WorkflowGraph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Steps that belong together, such as those of a container of a pipeline. */
  readonly groups: readonly GraphGroup[];
  /** Workflows that run as its children, at any depth, each once. Absent for each of those. */
  readonly children?: readonly WorkflowGraph[];
}
