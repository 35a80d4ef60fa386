/**
 * What a command works on: the runs of a store, with their code where it is loaded, or those of a server.
 *
 * Both speak the HTTP contract. Over a store the server is in this process, without a port: so each command is written
 * once.
 *
 * @module
 */
import type { Client, ClientOptions, Flows } from "@millrace/client";
import type { Operator } from "@millrace/client/operate";
import type { RunStore, Runtime } from "millrace/runtime";
import type { Code } from "../code/load-code.js";
import type { StorePlace } from "./open-store.js";
import type { Project } from "./project.js";

export interface TargetOptions {
  readonly file?: string | undefined;
  readonly store?: string | undefined;
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

export type RunStatus =
  | "scheduled"
  | "queued"
  | "running"
  | "waiting"
  | "completed"
  | "failed"
  | "cancelled"
  | "timedOut";

/** A run in a list. */
export interface RunRow {
  readonly runId: string;
  readonly workflow: string;
  /** Of the program that has continued it last; `null` if it is not known. */
  readonly version: string | null;
  readonly status: RunStatus;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  readonly wakeAtMs: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  /** Null where the server does not say. */
  readonly ticks: number | null;
  /** Message of the error of a failed run; left out where the list does not have it. */
  readonly error?: string | null;
}

export interface RunListQuery {
  readonly workflow?: string;
  readonly version?: string;
  readonly status?: readonly RunStatus[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Values of the input, by the names of the `static index` of the workflow. */
  readonly input?: Readonly<Record<string, string>>;
  /** Id of a group of failures. */
  readonly failure?: string;
  /** Step at which the runs failed or timed out. */
  readonly failedStep?: string;
  /** Beginning of an id, or part of the value of a label or of the message of an error. */
  readonly search?: string;
  /** Epoch milliseconds. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly limit: number;
  readonly cursor?: string;
}

export interface RunRows {
  readonly runs: readonly RunRow[];
  readonly cursor: string | null;
}

export type ServerPlace = Pick<ClientOptions, "baseUrl" | "fetch" | "headers">;

export interface Target {
  /** For people: a URL, or the path of a store. */
  readonly name: string;
  /** What names this target in a command that is printed. */
  readonly flags: readonly string[];
  readonly client: Client<Flows>;
  /** Where `client` sends its requests. */
  readonly server: ServerPlace;
  /** For queues, workers and schedules. */
  readonly operator: Operator;
  /** Null: the runs are those of a server. */
  readonly local: LocalTarget | null;
  list(query: RunListQuery): Promise<RunRows>;
  row(runId: string): Promise<RunRow>;
  /** Whether the code of a workflow is loaded: without it a run is shown as it is stored. */
  hasWorkflow(name: string): Promise<boolean>;
  /** Lets running steps finish for a second; runs continue when they are resumed. */
  close(): Promise<void>;
}

export interface LocalTarget {
  readonly runtime: Runtime;
  readonly store: RunStore;
  readonly place: StorePlace;
  readonly project: Project;
  /** Null: the command reads without it. */
  readonly code: Code | null;
  /** This process continues the run. */
  own(runId: string): void;
}
