/**
 * The record of a session. The runs themselves are in the run store, with the label `session`.
 *
 * @module
 */

import type { JsonObject } from "@millrace/executor";
import type { SessionMetricsData } from "../data/metrics.types.js";

/** Kind of the records. */
export const SESSION_KIND = "session";
const MAX_RUNS = 1_000;

export interface SessionRecord {
  readonly sessionId: string;
  /** `null` until a run with a user id assigns the session to that user. */
  readonly userId: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly name: string | null;
  readonly state: Readonly<JsonObject>;
  readonly metadata: Readonly<JsonObject>;
  readonly metrics: SessionMetricsData | null;
  /** The newest thousand runs, oldest first. */
  readonly runs: readonly SessionRun[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Summary of a run in a session. */
export interface SessionRun {
  readonly runId: string;
  /** Pipeline of the run: the pipelines of one store may share a session. */
  readonly pipelineId: string;
  readonly status: string;
  readonly createdAtMs: number;
}

export type NewSession = Pick<SessionRecord, "sessionId" | "userId" | "pipelineId" | "pipelineName" | "state"> &
  Partial<Pick<SessionRecord, "name" | "metadata">>;

/** A new session for a run. */
export function newSessionOf(
  { sessionId, userId }: Pick<SessionRecord, "sessionId" | "userId">,
  about: {
    readonly pipeline: { readonly id: string; readonly name: string };
    readonly template: Readonly<JsonObject>;
    readonly metadata: Readonly<JsonObject>;
  },
): NewSession {
  const { pipeline, template, metadata } = about;
  return { sessionId, userId, pipelineId: pipeline.id, pipelineName: pipeline.name, state: template, metadata };
}

export function createSession(session: NewSession, nowMs: number): SessionRecord {
  return { name: null, metadata: {}, ...session, metrics: null, runs: [], createdAtMs: nowMs, updatedAtMs: nowMs };
}

/** Adds a run, or updates its entry in place when it is already there. */
export function withRun(session: SessionRecord, run: SessionRun): SessionRecord {
  const isKnown = session.runs.some(({ runId }) => runId === run.runId);
  const runs = isKnown
    ? session.runs.map((known) => (known.runId === run.runId ? run : known))
    : [...session.runs, run].slice(-MAX_RUNS);
  return { ...session, runs };
}
