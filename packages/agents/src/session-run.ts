/**
 * A run outside of pipelines and teams, from its start or from a pause: loads its session, runs, and saves the changes,
 * also when the run failed.
 *
 * @module
 */
import { type ExecutorPause, mergeValues, startState, type ExecutorEvent } from "@millrace/pipeline/executor";
import { toFailure } from "./run/failure.js";
import { openRun, performRun, spentSincePause } from "./memory-run.js";
import { notPaused, resumedJob } from "./pause/read-pause.js";
import type {
  AgentRun,
  AgentRunOptions,
  CallAnswer,
  ContinueOptions,
  PausedRun,
} from "./settings/run-options.types.js";
import type { SessionState } from "./settings/run-context.types.js";
import { loadForRun, loadSession, saveSession, type SessionChange, sessionRun } from "./sessions/saved-session.js";
import type { AgentSession } from "./settings/sessions.types.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import type { RunJob } from "./settings/job.types.js";
import { plainState } from "./state/live-state.js";
import { newId, nowMs } from "./system.js";

type Emit = ((event: ExecutorEvent) => void) | undefined;

interface SessionRunRequest {
  readonly input: unknown;
  readonly options: AgentRunOptions;
  readonly emit: Emit;
}

/** @throws {WorkflowError} the error of a failed run, once its session is saved. */
export async function runInSession(settings: ExecutorSettings, request: SessionRunRequest): Promise<AgentRun<unknown>> {
  const { addHistoryToContext, numHistoryRuns } = settings;
  const who = whoRuns(settings, request.options);
  const query = { runs: addHistoryToContext ? numHistoryRuns : 0, status: "COMPLETED" } as const;
  const session = settings.sessions === undefined ? null : await loadForRun(settings.sessions, who, query);
  return performInSession(settings, { job: jobOf(settings, { ...request, who, session }), who, session });
}

/** A paused run, and what a person has said. */
interface ContinueRequest {
  readonly paused: PausedRun;
  readonly answers: readonly CallAnswer[];
  readonly options: ContinueOptions;
  readonly emit: Emit;
}

/**
 * Continues a paused run with the present state of its session.
 *
 * @throws {WorkflowError} `RUN_NOT_PAUSED`, `REQUIREMENT_INVALID`, and the error of a failed run, once its session is
 * saved.
 */
export async function continueInSession(
  settings: ExecutorSettings,
  { paused, answers, options, emit }: ContinueRequest,
): Promise<AgentRun<unknown>> {
  const { runId, sessionId, userId } = paused;
  const who = whoRuns(settings, { ...(sessionId && { sessionId }), ...(userId && { userId }) });
  const query = { runs: 1, runId };
  const session = settings.sessions === undefined ? null : await loadSession(settings.sessions, who, query);
  const { state } = pauseOf(paused, session);
  const parts = { input: null, options: { ...options, runId }, emit, who, session, known: paused.sessionState ?? null };
  const job = resumedJob(settings, jobOf(settings, parts), {
    state,
    answers: answers.map(({ note = null, ...answer }) => ({ ...answer, note })),
  });
  return performInSession(settings, { job, who, session });
}

/** The stored run wins over the given one: it may have been continued since the caller saw it paused. */
function pauseOf({ runId, status = "PAUSED", pause }: PausedRun, session: AgentSession | null): ExecutorPause {
  const stored = session?.runs.find((run) => run.runId === runId);
  const now = stored?.status ?? status;
  const found = pause ?? stored?.pause ?? null;
  if (now === "PAUSED" && found !== null) return found;
  const why = now === "PAUSED" ? "nothing to continue from" : `the status ${now}`;
  throw notPaused(`The run "${runId}" has ${why}.`, { runId, status: now });
}

interface Who {
  readonly sessionId: string;
  readonly userId: string | null;
}

export function whoRuns(settings: ExecutorSettings, { sessionId, userId }: AgentRunOptions): Who {
  return { sessionId: sessionId ?? settings.sessionId, userId: userId || settings.userId };
}

interface SessionWork {
  readonly job: RunJob;
  readonly who: Who;
  readonly session: AgentSession | null;
}

async function performInSession(
  settings: ExecutorSettings,
  { job, who, session }: SessionWork,
): Promise<AgentRun<unknown>> {
  const run = openRun(settings, job);
  const result = await performRun(run);
  const { base, state } = job;
  const { counted } = run.edits;
  const record = sessionRun(settings, job, result);
  const change = { ...who, before: session, base, state, counted, run: record, metrics: spentSincePause(result, job) };
  const saved = await closeSession(settings, change).catch((error: unknown) => {
    run.events.end({ ...result, status: "ERROR", pause: null, error: toFailure(error, settings) }, null);
    throw error;
  });
  run.events.end(result, structuredClone(saved), job.userId);
  if (result.error !== null) throw result.error;
  return { ...result, ...who, agent: run.answeredBy, sessionState: saved };
}

interface JobParts extends SessionRunRequest {
  readonly who: Who;
  readonly session: AgentSession | null;
  /** State of a run that no store knows. */
  readonly known?: SessionState | null;
}

function jobOf(settings: ExecutorSettings, { input, options, emit, who, session, known = null }: JobParts): RunJob {
  const runId = options.runId ?? newId();
  const { sessionState: template, overwriteDbSessionState: overwrite } = settings;
  const { images = [], videos = [], audio = [], files = [], sessionState: given = null } = options;
  const stored = session?.state ?? known;
  return {
    runId,
    parentRunId: null,
    createdAtMs: nowMs(),
    resumed: null,
    input,
    media: [...images, ...videos, ...audio, ...files],
    ...who,
    state: startState({ template, stored, given, overwrite }),
    base: stored ?? template,
    defaults: {},
    outerContext: undefined,
    dependencies: mergeValues(settings.dependencies, options.dependencies ?? {}),
    metadata: mergeValues(options.metadata ?? {}, settings.metadata),
    history: (session?.runs ?? []).flatMap(({ messages }) => messages),
    emit,
    signal: options.signal ?? new AbortController().signal,
    idempotencyKey: options.idempotencyKey ?? runId,
  };
}

async function closeSession({ sessions }: ExecutorSettings, change: SessionChange): Promise<SessionState> {
  return sessions === undefined ? plainState(change.state) : saveSession(sessions, change);
}
