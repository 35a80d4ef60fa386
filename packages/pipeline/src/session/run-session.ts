/**
 * The session of a run: read and, if it is new, written when the run begins, and written in the commit of the run's
 * last step.
 *
 * @module
 */

import {
  assertOwner,
  type CountedPaths,
  type JsonObject,
  type ListRecord,
  mergeStates,
  type SessionReducers,
} from "@millrace/executor";
import type { StepRecords } from "millrace/runtime";
import {
  createSession,
  type NewSession,
  SESSION_KIND,
  type SessionRecord,
  type SessionRun,
  withRun,
} from "./session-record.js";

/** `null` when the session does not exist yet. @throws {WorkflowError} `SESSION_FOREIGN`, and errors of the store. */
export async function readSession(
  records: StepRecords,
  { sessionId, userId }: Pick<SessionRecord, "sessionId" | "userId">,
): Promise<SessionRecord | null> {
  const found = await records.read(SESSION_KIND, sessionId);
  const stored = (found?.value ?? null) as SessionRecord | null;
  if (stored !== null) assertOwner(stored, userId);
  return stored;
}

/**
 * Creates the session with its first run, or assigns a session without an owner to the user of this run. Stored when
 * the step ends.
 *
 * @param stored What the step has read of it.
 * @throws {WorkflowError} `SESSION_FOREIGN`
 */
export async function enterSession(
  records: StepRecords,
  stored: SessionRecord | null,
  { session, run, nowMs }: { readonly session: NewSession; readonly run: SessionRun; readonly nowMs: number },
): Promise<void> {
  const isEntered = (found: SessionRecord): boolean => found.userId !== null || session.userId === null;
  if (stored !== null && isEntered(stored)) return;
  await records.update<SessionRecord>(SESSION_KIND, session.sessionId, (found) => {
    if (found !== undefined) assertOwner(found, session.userId);
    if (found !== undefined && isEntered(found)) return found;
    return withRun({ ...(found ?? createSession(session, nowMs)), userId: session.userId }, run);
  });
}

/** What a run saves in its session. */
export interface RunSessionEnd {
  /** Used when the session was deleted meanwhile, and begins anew. */
  readonly session: NewSession;
  /** State at the start: the stored one, or the template. A `sessionState` given to the run counts as a change. */
  readonly base: Readonly<JsonObject>;
  readonly state: Readonly<JsonObject>;
  readonly counted: CountedPaths;
  readonly lists?: ListRecord | undefined;
  readonly reducers: SessionReducers;
  /** Makes all other changes: the entry of the run, and the metrics. */
  readonly change: (session: SessionRecord) => SessionRecord;
  readonly nowMs: number;
}

/**
 * Merges the changes of the run into the stored session. Call it at the end of a step: it is stored when that step
 * ends, and steps of other runs that want the same session wait until then. If another process changes the session
 * first, the changes are merged again; the result is what was merged at the call.
 *
 * @throws {WorkflowError} `SESSION_FOREIGN`; `STEP_RESULT_INVALID` when a reducer fails.
 */
export async function saveSession(
  records: StepRecords,
  { session, base, state, counted, lists, reducers, change, nowMs }: RunSessionEnd,
): Promise<SessionRecord> {
  const saved = await records.update<SessionRecord>(SESSION_KIND, session.sessionId, (stored) => {
    if (stored !== undefined) assertOwner(stored, session.userId);
    const found = stored ?? createSession(session, nowMs);
    return change({
      ...found,
      userId: found.userId ?? session.userId,
      state: mergeStates({ base, theirs: found.state, mine: state, counted, lists, reducers }),
      updatedAtMs: nowMs,
    });
  });
  return saved as SessionRecord;
}
