/**
 * Continues a paused run that is not part of a pipeline or a team, with the present state of its session.
 *
 * @module
 */
import { type ExecutorPause, startState } from "@millrace/pipeline/executor";
import type { ExecutorSettings } from "../executor-settings.types.js";
import type { AgentRun, CallAnswer, ContinueOptions, PausedRun } from "../run-options.types.js";
import { type Emit, jobOf, performInSession, type Who, whoRuns } from "../session-run.js";
import { loadSession } from "../sessions/saved-session.js";
import type { AgentSession } from "../sessions/sessions.types.js";
import { notPaused, resumedJob } from "./read-pause.js";

export interface ContinueRequest {
  readonly paused: PausedRun;
  readonly answers: readonly CallAnswer[];
  readonly options: ContinueOptions;
  readonly emit: Emit;
}

/**
 * @throws {WorkflowError} `RUN_NOT_PAUSED`, `REQUIREMENT_INVALID`, and the error of a failed run, once its session is
 * saved.
 */
export async function continueInSession(
  settings: ExecutorSettings,
  request: ContinueRequest,
): Promise<AgentRun<unknown>> {
  const { paused, options, emit } = request;
  const { sessionId, userId } = paused;
  const who = whoRuns(settings, { ...(sessionId && { sessionId }), ...(userId && { userId }) });
  const session = await openSession(settings, who, paused.runId);
  const pause = pauseOf(paused, session);
  const answers = request.answers.map(({ note = null, ...answer }) => ({ ...answer, note }));

  const stored = session?.state ?? paused.sessionState ?? null;
  const template = settings.sessionState;
  const given = options.sessionState ?? null;
  const state = startState({ template, stored, given, overwrite: settings.overwriteDbSessionState });
  const fresh = jobOf(settings, {
    input: null,
    options: { ...options, runId: paused.runId },
    emit,
    who,
    session,
    state,
    base: stored ?? template,
  });
  const job = resumedJob(settings, fresh, { state: pause.state, answers });
  return performInSession(settings, { job, who, session });
}

async function openSession({ sessions }: ExecutorSettings, who: Who, runId: string): Promise<AgentSession | null> {
  return sessions === undefined ? null : loadSession(sessions, who, { runs: 1, runId });
}

/** The stored run wins over the given one: it may have been continued since the caller saw it paused. */
function pauseOf({ runId, status = "PAUSED", pause }: PausedRun, session: AgentSession | null): ExecutorPause {
  const stored = session?.runs.find((run) => run.runId === runId);
  const now = stored?.status ?? status;
  const found = pause ?? stored?.pause ?? null;
  if (now === "PAUSED" && found !== null) return found;
  const why = now === "PAUSED" ? "nothing to go on from" : `the status ${now}`;
  throw notPaused(`The run "${runId}" has ${why}.`, { runId, status: now });
}
