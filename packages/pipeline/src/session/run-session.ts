/**
 * A session in the steps of a run: read when the run begins, written in the commit of its last step.
 *
 * @module
 */
import type { StepRecords } from "millrace/runtime";
import type { CountedPaths } from "./counted.js";
import type { JsonObject } from "./json.js";
import { mergeStates } from "./merge-states.js";
import { assertOwner, createSession, type NewSession, SESSION_KIND, type SessionRecord } from "./session-record.js";
import { type StartStates, startState } from "./start-state.js";

/** How a run begins in its session. */
export interface RunSessionStart extends Pick<StartStates, "template" | "given" | "overwrite"> {
  readonly session: Omit<NewSession, "state">;
  readonly nowMs: number;
}

/**
 * The session as it is, or a new one that is not stored yet, and the state that the run begins with.
 *
 * @throws {WorkflowError} `SESSION_FOREIGN`, `STATE_UNSTORABLE`; what cannot be read throws.
 */
export async function openSession(
  records: StepRecords,
  { session, nowMs, ...states }: RunSessionStart,
): Promise<{ readonly stored: SessionRecord | null; readonly session: SessionRecord; readonly state: JsonObject }> {
  const stored = await readSession(records, session);
  const state = startState({ ...states, stored: stored?.state ?? null });
  return { stored, session: stored ?? createSession({ ...session, state }, nowMs), state };
}

/** What a run leaves in its session. */
export interface RunSessionEnd {
  readonly session: Omit<NewSession, "state">;
  /** What is stored when it began; of a new session what was given over the template is a change like any other. */
  readonly base: Readonly<JsonObject>;
  readonly state: Readonly<JsonObject>;
  readonly counted: CountedPaths;
  /** All else that the run changes: its place among the runs, metrics. */
  readonly change: (session: SessionRecord) => SessionRecord;
  readonly nowMs: number;
}

/**
 * Writes what the run has changed over what is stored by now. Call it last in a step: it is stored when that step ends, and
 * steps of other runs that want the same session wait until then.
 *
 * @throws {WorkflowError} `SESSION_FOREIGN`
 */
export async function saveSession(
  records: StepRecords,
  { session, base, state, counted, change, nowMs }: RunSessionEnd,
): Promise<SessionRecord> {
  const found = await records.read(SESSION_KIND, session.sessionId);
  const stored = found === null ? createSession({ ...session, state: base }, nowMs) : (found.value as SessionRecord);
  assertOwner(stored, session.userId);
  const saved = change({
    ...stored,
    userId: stored.userId ?? session.userId,
    state: mergeStates({ base, theirs: stored.state, mine: state, counted }),
    updatedAtMs: nowMs,
  });
  records.write({ kind: SESSION_KIND, id: session.sessionId, expected: found?.version ?? 0, value: saved });
  return saved;
}

async function readSession(
  records: StepRecords,
  { sessionId, userId }: Pick<SessionRecord, "sessionId" | "userId">,
): Promise<SessionRecord | null> {
  const found = await records.read(SESSION_KIND, sessionId);
  if (found === null) return null;
  const session = found.value as SessionRecord;
  assertOwner(session, userId);
  return session;
}
