import type { ExecutorPause, StepMetricsData } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { ExecutorStatus } from "../executor.types.js";
import type { SessionState } from "../run-context.types.js";

/** A run as its session keeps it. Plain data. */
export interface AgentSessionRun {
  readonly runId: string;
  readonly executorName: string;
  readonly status: ExecutorStatus;
  readonly input: unknown;
  readonly content: unknown;
  /** The input and what followed. */
  readonly messages: readonly ModelMessage[];
  readonly metrics: StepMetricsData;
  /** Set where `status` is `PAUSED`: with it the run goes on. */
  readonly pause: ExecutorPause | null;
  /** Epoch milliseconds. */
  readonly createdAtMs: number;
}

export interface AgentSession {
  readonly sessionId: string;
  /** `null`: nobody owns it yet. */
  readonly userId: string | null;
  readonly state: SessionState;
  /** As many of the newest as were asked for, oldest first. */
  readonly runs: readonly AgentSessionRun[];
  /** Of all runs, added up. */
  readonly metrics: StepMetricsData;
  /** 1 when first saved, then one more with each save. */
  readonly version: number;
}

export interface SaveSession {
  readonly sessionId: string;
  readonly userId: string | null;
  readonly state: SessionState;
  readonly metrics: StepMetricsData;
  /** Appended to the session's runs, or in the place of the one with its id. `null`: only the state changes. */
  readonly run: AgentSessionRun | null;
  /** The version that was loaded; 0: there must be no such session yet. */
  readonly expectedVersion: number;
}

export type SaveSessionResult =
  | { readonly status: "saved"; readonly version: number }
  /** Somebody else has saved since. Nothing was stored. */
  | { readonly status: "conflict" };

/** Which runs a load brings along. */
export interface RunsQuery {
  /** How many of the newest that fit; 0: none. */
  readonly runs: number;
  /** @default any */
  readonly status?: ExecutorStatus;
  /** @default any */
  readonly runId?: string;
}

/**
 * Where agents and teams keep their sessions.
 *
 * `save` compares the version and stores in one step; all merging is done by the caller. Failures reject: an unreadable
 * session is never taken for a missing one.
 */
export interface AgentSessions {
  load(sessionId: string, userId: string | null, query: RunsQuery): Promise<AgentSession | null>;
  save(change: SaveSession): Promise<SaveSessionResult>;
}
