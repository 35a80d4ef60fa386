/**
 * A run on its own: it loads its session, works, and saves what has changed, also when it failed.
 *
 * @module
 */
import type { ExecutorEvent } from "./events.types.js";
import type { ExecutorResult } from "./executor.types.js";
import { toFailure } from "./run/failure.js";
import { openRun, performRun } from "./run/perform.js";
import { emitEnd } from "./run/run-events.js";
import type { AgentRun, AgentRunOptions } from "./run-options.types.js";
import type { SessionState } from "./run-context.types.js";
import { type SessionChange, loadSession, saveSession } from "./sessions/session-desk.js";
import type { AgentSession, AgentSessionRun } from "./sessions/sessions.types.js";
import type { ExecutorSettings, RunJob } from "./settings.types.js";
import { deepMerge } from "./state/live-state.js";
import { plainCopy } from "./state/plain-copy.js";
import { startState } from "./state/start-state.js";
import { newId, nowMs } from "./system.js";

export interface SessionRunRequest {
  readonly input: unknown;
  readonly options: AgentRunOptions;
  readonly emit: ((event: ExecutorEvent) => void) | undefined;
}

/** @throws {WorkflowError} what went wrong with the run, once its session has been saved. */
export async function runInSession(settings: ExecutorSettings, request: SessionRunRequest): Promise<AgentRun<unknown>> {
  const who = whoRuns(settings, request.options);
  const session = await openSession(settings, who);
  const given = request.options.sessionState;
  const template = settings.sessionState;
  const stored = session?.state ?? null;
  const state = startState({ template, stored, given, overwrite: settings.overwriteDbSessionState });

  const run = openRun(settings, jobOf({ settings, request, who, session, state }));
  const createdAtMs = nowMs();
  const result = await performRun(run);
  const record = sessionRun(settings, { result, input: request.input, createdAtMs });
  const change = { ...who, before: session, base: stored ?? template, state, run: record };
  const saved = await closeSession(settings, change).catch((error: unknown) => {
    emitEnd(run, { ...result, status: "ERROR", error: toFailure(error, settings) }, null);
    throw error;
  });
  emitEnd(run, result, structuredClone(saved));
  if (result.error !== null) throw result.error;
  return { ...result, ...who, sessionState: saved };
}

interface Who {
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

interface JobParts {
  readonly settings: ExecutorSettings;
  readonly request: SessionRunRequest;
  readonly who: Who;
  readonly session: AgentSession | null;
  readonly state: SessionState;
}

function jobOf({ settings, request, who, session, state }: JobParts): RunJob {
  const { input, options, emit } = request;
  const runId = options.runId ?? newId();
  const { images = [], videos = [], audio = [], files = [] } = options;
  return {
    runId,
    parentRunId: null,
    input,
    media: [...images, ...videos, ...audio, ...files],
    ...who,
    state,
    defaults: {},
    outerContext: undefined,
    dependencies: deepMerge(settings.dependencies, options.dependencies ?? {}),
    metadata: deepMerge(options.metadata ?? {}, settings.metadata),
    history: (session?.runs ?? []).flatMap(({ messages }) => messages),
    emit,
    signal: options.signal ?? new AbortController().signal,
    idempotencyKey: options.idempotencyKey ?? runId,
  };
}

interface RunFacts {
  readonly result: ExecutorResult;
  readonly input: unknown;
  readonly createdAtMs: number;
}

function sessionRun(settings: ExecutorSettings, { result, input, createdAtMs }: RunFacts): AgentSessionRun {
  const { runId, status, content, messages, metrics } = result;
  const plain = JSON.parse(JSON.stringify({ input: input ?? null, content })) as { input: unknown; content: unknown };
  return { runId, executorName: settings.name, status, ...plain, messages, metrics, createdAtMs };
}

async function closeSession({ sessions }: ExecutorSettings, change: SessionChange): Promise<SessionState> {
  return sessions === undefined ? plainCopy(change.state) : saveSession(sessions, change);
}
