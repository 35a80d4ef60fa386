/**
 * Loads a session before a run and saves it afterwards.
 *
 * A run never locks its session. When another run has saved in the meantime, the changes of both are merged as in
 * pipelines, and saved on top of the newest version.
 *
 * @module
 */
import {
  addMetrics,
  assertOwner,
  type CountedPaths,
  emptyMetrics,
  mergeStates,
  type StepMetricsData,
} from "@millrace/executor";
import { WorkflowError } from "millrace";
import type { SessionState } from "../settings/run-context.types.js";
import type { AgentSession, AgentSessionRun, AgentSessions, RunsQuery } from "../settings/sessions.types.js";
import { plainState } from "../state/live-state.js";

/** Each conflict means that another save succeeded, so the limit is far above any number of concurrent writers. */
const maxConflicts = 100;

/** A session, and the user who asks for it. */
export interface Who {
  readonly sessionId: string;
  readonly userId: string | null;
}

export interface SessionChange extends Who {
  /** The session as loaded before the run. */
  readonly before: AgentSession | null;
  /** State to compare `state` with: the stored state, or the template of a new session. */
  readonly base: SessionState;
  readonly state: SessionState;
  readonly counted: CountedPaths;
  readonly run: AgentSessionRun | null;
  /** Metrics to add to those of the session. */
  readonly metrics: StepMetricsData;
}

/** @throws {WorkflowError} `SESSION_FOREIGN` when the session belongs to another user, or to a user where the run names none. */
export async function loadSession(
  sessions: AgentSessions,
  { sessionId, userId }: Who,
  query: RunsQuery = { runs: 0 },
): Promise<AgentSession | null> {
  const session = await sessions.load(sessionId, userId, query);
  if (session !== null) assertOwner(session, userId);
  return session;
}

/** For a run, which has to say whose it is. @throws {WorkflowError} `SESSION_FOREIGN` */
export async function loadForRun(sessions: AgentSessions, who: Who, query: RunsQuery): Promise<AgentSession | null> {
  const session = await loadSession(sessions, who, query);
  if (session !== null && session.userId !== null && who.userId === null) throw ownedByUser(who.sessionId);
  return session;
}

function ownedByUser(sessionId: string): WorkflowError {
  return new WorkflowError({
    code: "SESSION_FOREIGN",
    message: `Session "${sessionId}" belongs to a user, and the run names none.`,
    hint: "Pass the `userId`, or leave out the session id for a new session.",
    details: { sessionId, userId: null },
  });
}

/**
 * Saves the changes of one run.
 *
 * @returns the saved state, including what concurrent runs have changed.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`, `SESSION_FOREIGN` or `SESSION_BUSY`.
 */
export async function saveSession(sessions: AgentSessions, change: SessionChange): Promise<SessionState> {
  const mine = plainState(change.state);
  let newest = change.before;
  for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
    const state = mergedState(change, newest, mine);
    const saved = await sessions.save({
      sessionId: change.sessionId,
      userId: newest?.userId ?? change.userId,
      state,
      metrics: addMetrics(newest?.metrics ?? emptyMetrics, change.metrics),
      run: change.run,
      expectedVersion: newest?.version ?? 0,
    });
    if (saved.status === "saved") return state;
    newest = await loadSession(sessions, change);
  }
  throw busy(change.sessionId);
}

function mergedState(
  { before, base, counted }: SessionChange,
  newest: AgentSession | null,
  mine: SessionState,
): SessionState {
  if (newest === null || newest.version === before?.version) return mine;
  return mergeStates({ base, theirs: newest.state, mine, counted });
}

function busy(sessionId: string): WorkflowError {
  return new WorkflowError({
    code: "SESSION_BUSY",
    message: `The session "${sessionId}" was saved by others ${maxConflicts} times while one save was tried.`,
    hint: 'Check that the store\'s `save` answers "conflict" only when the version differs, or use more sessions.',
    details: { sessionId, conflicts: maxConflicts },
  });
}
