import type { ExecutorPause, StepMetricsData } from "@millrace/executor";
import type { ModelMessage } from "ai";
import type { ExecutorStatus } from "./executor.types.js";
import type { SessionState } from "./run-context.types.js";

/** A run as its session stores it, as plain data. */
export interface AgentSessionRun {
  readonly runId: string;
  readonly executorName: string;
  readonly status: ExecutorStatus;
  readonly input: unknown;
  readonly content: unknown;
  /** The input and all later messages. */
  readonly messages: readonly ModelMessage[];
  readonly metrics: StepMetricsData;
  /** What is needed to continue the run, where `status` is `PAUSED` or `ERROR`. */
  readonly pause: ExecutorPause | null;
  /** Epoch milliseconds. */
  readonly createdAtMs: number;
}

/** A session with some of its runs. */
export interface AgentSession {
  readonly sessionId: string;
  /** `null` as long as no run has named a user. */
  readonly userId: string | null;
  readonly state: SessionState;
  /** The newest runs of the query, oldest first. */
  readonly runs: readonly AgentSessionRun[];
  /** Sum over all runs of the session. */
  readonly metrics: StepMetricsData;
  /** 1 after the first save; each save adds 1. */
  readonly version: number;
}

/** One save: the new state of a session, and at most one run. */
export interface SaveSession {
  readonly sessionId: string;
  readonly userId: string | null;
  readonly state: SessionState;
  readonly metrics: StepMetricsData;
  /** Appended to the session's runs, or replaces the run with the same id. `null` when only the state changes. */
  readonly run: AgentSessionRun | null;
  /** The version that was loaded; 0 when the session must not exist yet. */
  readonly expectedVersion: number;
}

export type SaveSessionResult =
  | { readonly status: "saved"; readonly version: number }
  /** Another save came first. Nothing was stored. */
  | { readonly status: "conflict" };

/** Selects the runs that a load returns with the session. */
export interface RunsQuery {
  /** Maximum number of runs, newest first; 0 for none. */
  readonly runs: number;
  /** Status of the runs. @default any */
  readonly status?: ExecutorStatus;
  /** Id of the run. @default any */
  readonly runId?: string;
}

/**
 * Store for the sessions of agents and teams.
 *
 * `save` compares the version and stores atomically; the caller does all merging. Failures must reject: an unreadable
 * session must never look like a missing one.
 */
export interface AgentSessions {
  load(sessionId: string, userId: string | null, query: RunsQuery): Promise<AgentSession | null>;
  save(change: SaveSession): Promise<SaveSessionResult>;
}
