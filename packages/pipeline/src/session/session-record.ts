/**
 * A session as its record holds it. The runs themselves lie in the run store, under the label `session`.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { SessionMetricsData } from "../data/metrics.types.js";
import type { JsonObject } from "./json.js";

/** The kind of the records. */
export const SESSION_KIND = "session";
const MAX_RUNS = 1_000;

export interface SessionRecord {
  readonly sessionId: string;
  /** Null: nobody's yet. Whoever runs in it first with a user id has it from then on. */
  readonly userId: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly name: string | null;
  readonly state: Readonly<JsonObject>;
  readonly metadata: Readonly<JsonObject>;
  readonly metrics: SessionMetricsData | null;
  /** The newest thousand, the oldest first. */
  readonly runs: readonly SessionRun[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A run of a session, in short. */
export interface SessionRun {
  readonly runId: string;
  /** Whose run it was: pipelines of one store may share a session. */
  readonly pipelineId: string;
  readonly status: string;
  readonly createdAtMs: number;
}

export type NewSession = Pick<SessionRecord, "sessionId" | "userId" | "pipelineId" | "pipelineName" | "state"> &
  Partial<Pick<SessionRecord, "name" | "metadata">>;

/** The session of a run, where there is none yet. */
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

/** Once, however often it is added: the place of a run stays, what is said of it may change. */
export function withRun(session: SessionRecord, run: SessionRun): SessionRecord {
  const isKnown = session.runs.some(({ runId }) => runId === run.runId);
  const runs = isKnown
    ? session.runs.map((known) => (known.runId === run.runId ? run : known))
    : [...session.runs, run].slice(-MAX_RUNS);
  return { ...session, runs };
}

/**
 * A session that nobody has is for everybody, and so is every session for a caller without a user id.
 *
 * @throws {WorkflowError} `SESSION_FOREIGN`
 */
export function assertOwner({ sessionId, userId: owner }: SessionRecord, userId: string | null | undefined): void {
  if (owner === null || userId === null || userId === undefined || userId === owner) return;
  throw new WorkflowError({
    code: "SESSION_FOREIGN",
    message: `Session "${sessionId}" belongs to another user than "${userId}".`,
    hint: "Use a session id of this user, or leave it out for a new session.",
    details: { sessionId, userId },
  });
}
