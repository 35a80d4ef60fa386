/**
 * A run outside of pipelines and teams: loads its session, runs, and saves the changes, also when the run failed.
 *
 * @module
 */
import { mergeValues, metricsSince, startState, type StepMetricsData } from "@millrace/pipeline/executor";
import type { ExecutorEvent } from "./events.types.js";
import type { ExecutorResult } from "./executor.types.js";
import { toFailure } from "./run/failure.js";
import { openRun, performRun } from "./run/perform.js";
import { emitEnd } from "./run/run-events.js";
import type { AgentRun, AgentRunOptions } from "./run-options.types.js";
import type { SessionState } from "./run-context.types.js";
import { type SessionChange, loadSession, saveSession } from "./sessions/saved-session.js";
import type { AgentSession, AgentSessionRun } from "./sessions/sessions.types.js";
import type { ExecutorSettings } from "./executor-settings.types.js";
import type { RunJob } from "./run/job.types.js";
import { plainState } from "./state/live-state.js";
import { newId, nowMs } from "./system.js";

export type Emit = ((event: ExecutorEvent) => void) | undefined;

export interface SessionRunRequest {
  readonly input: unknown;
  readonly options: AgentRunOptions;
  readonly emit: Emit;
}

/** @throws {WorkflowError} the error of a failed run, once its session is saved. */
export async function runInSession(settings: ExecutorSettings, request: SessionRunRequest): Promise<AgentRun<unknown>> {
  const who = whoRuns(settings, request.options);
  const session = await openSession(settings, who);
  const given = request.options.sessionState ?? null;
  const template = settings.sessionState;
  const stored = session?.state ?? null;
  const state = startState({ template, stored, given, overwrite: settings.overwriteDbSessionState });
  const job = jobOf(settings, { ...request, who, session, state, base: stored ?? template });
  return performInSession(settings, { job, who, session });
}

export interface Who {
  readonly sessionId: string;
  readonly userId: string | null;
}

export function whoRuns(settings: ExecutorSettings, { sessionId, userId }: AgentRunOptions): Who {
  return { sessionId: sessionId ?? settings.sessionId, userId: userId || settings.userId };
}

function openSession({ sessions, addHistoryToContext, numHistoryRuns }: ExecutorSettings, who: Who) {
  if (sessions === undefined) return null;
  return loadSession(sessions, who, { runs: addHistoryToContext ? numHistoryRuns : 0, status: "COMPLETED" });
}

export interface SessionWork {
  readonly job: RunJob;
  readonly who: Who;
  readonly session: AgentSession | null;
}

export async function performInSession(
  settings: ExecutorSettings,
  { job, who, session }: SessionWork,
): Promise<AgentRun<unknown>> {
  const run = openRun(settings, job);
  const result = await performRun(run);
  const metrics = spentBy(result, job);
  const record = sessionRun(settings, job, result);
  const { base, state } = job;
  const { counted } = run.edits;
  const change = { ...who, before: session, base, state, counted, run: record, metrics };
  const saved = await closeSession(settings, change).catch((error: unknown) => {
    emitEnd(run, { ...result, status: "ERROR", pause: null, error: toFailure(error, settings) }, null);
    throw error;
  });
  emitEnd(run, result, structuredClone(saved));
  if (result.error !== null) throw result.error;
  return { ...result, ...who, sessionState: saved };
}

/** Metrics since the last pause: the session already has the earlier part. */
function spentBy({ metrics }: ExecutorResult, { resumed }: RunJob): StepMetricsData {
  return resumed === null ? metrics : metricsSince(resumed.state.totalMetrics, metrics);
}

interface JobParts extends SessionRunRequest {
  readonly who: Who;
  readonly session: AgentSession | null;
  readonly state: SessionState;
  readonly base: SessionState;
}

export function jobOf(
  settings: ExecutorSettings,
  { input, options, emit, who, session, state, base }: JobParts,
): RunJob {
  const runId = options.runId ?? newId();
  const { images = [], videos = [], audio = [], files = [] } = options;
  return {
    runId,
    parentRunId: null,
    createdAtMs: nowMs(),
    resumed: null,
    input,
    media: [...images, ...videos, ...audio, ...files],
    ...who,
    state,
    base,
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

function sessionRun(
  settings: ExecutorSettings,
  { input, createdAtMs }: RunJob,
  result: ExecutorResult,
): AgentSessionRun {
  const { runId, status, content, messages, metrics, pause } = result;
  const plain = JSON.parse(JSON.stringify({ input: input ?? null, content })) as { input: unknown; content: unknown };
  return { runId, executorName: settings.name, status, ...plain, messages, metrics, pause, createdAtMs };
}

async function closeSession({ sessions }: ExecutorSettings, change: SessionChange): Promise<SessionState> {
  return sessions === undefined ? plainState(change.state) : saveSession(sessions, change);
}
