/**
 * The session of a run: loaded once, before its first call, and saved once, after its last.
 *
 * Between the two, the state of the workflow keeps the session state. What concurrent runs of the session have saved
 * meanwhile is merged.
 *
 * @module
 */
import { isObject, metricsSince, startState } from "@millrace/executor";
import type { Context } from "millrace";
import { loadForRun, saveSession, type Who } from "../sessions/saved-session.js";
import { invalid } from "../settings/check-options.js";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { asJson } from "../settings/plain.js";
import type { SessionState } from "../settings/run-context.types.js";
import type { AgentSessions } from "../settings/sessions.types.js";
import { fillMissing } from "../state/live-state.js";
import { nowMs } from "../system.js";
import type { InnerRunOptions, OpenedSession } from "./loop-run.types.js";
import { type StoredSession, writeAt } from "./stored-session.js";

export interface StepPlace {
  readonly settings: ExecutorSettings;
  /** The scope of the run. */
  readonly ctx: Context;
  readonly options: InnerRunOptions;
}

export function whoRuns(
  settings: Pick<ExecutorSettings, "sessionId" | "userId">,
  { sessionId, userId }: { readonly sessionId?: string | undefined; readonly userId?: string | undefined },
): Who {
  return { sessionId: sessionId ?? settings.sessionId, userId: userId || settings.userId };
}

/**
 * Puts the state into its place, and loads the session. `null` for a run without its own session: of an agent
 * without `sessions`, or without a `sessionId`.
 */
export async function openSession(place: StepPlace): Promise<OpenedSession | null> {
  const { settings, ctx, options } = place;
  const { sessionState: template, overwriteDbSessionState: overwrite } = settings;
  const { statePath, sessionId, sessionState: given = null } = options;
  const opened = await loadOnce(place);
  if (statePath === undefined) {
    if (opened !== null || given !== null) throw noPlace(sessionId);
    return null;
  }
  const stored = opened?.session?.state;
  const start = (now: unknown) => {
    const state = startState({ template, stored: stored ?? presentState(now), given, overwrite });
    if (stored === undefined) fillMissing(state, template);
    return state;
  };
  const isDefault = stored === undefined && given === null && Object.keys(template).length === 0;
  if (!isDefault) await ctx.store.editState((all) => writeAt(all, statePath, start), { key: "session" });
  if (opened === null) return null;
  const history = (opened.session?.runs ?? []).flatMap(({ messages }) => messages);
  return { ...opened, session: options.host?.reopened ?? opened.session, history };
}

async function loadOnce({ settings, ctx, options }: StepPlace) {
  const { sessions, addHistoryToContext, numHistoryRuns } = settings;
  if (sessions === undefined || options.sessionId === undefined) return null;
  const query = { runs: addHistoryToContext ? numHistoryRuns : 0, status: "COMPLETED" } as const;
  return ctx.run("session", async () => {
    const session = await loadForRun(sessions, whoRuns(settings, options), query);
    return { session, createdAtMs: nowMs() };
  });
}

/** What the workflow has kept of earlier steps; `null`: nothing. */
function presentState(now: unknown): SessionState | null {
  return isObject(now) && Object.keys(now).length > 0 ? (now as SessionState) : null;
}

/** What a run has changed. */
export interface SessionChanges {
  readonly opened: OpenedSession;
  readonly who: Who;
  readonly input: unknown;
  readonly result: ExecutorResult;
  readonly state: SessionState;
  readonly counted: Record<string, true>;
}

/** Saves what a run has changed until its end or its pause, and the run itself. Returns the state as saved. */
export function saveChanges(settings: ExecutorSettings, changes: SessionChanges): Promise<SessionState> {
  const { opened, who, result, state, counted } = changes;
  const { session, createdAtMs } = opened;
  const { runId, status, messages, metrics, pause } = result;
  const before = session?.runs.find((run) => run.runId === runId);
  const { input, content } = asJson({ input: changes.input ?? null, content: result.content });
  return saveSession(settings.sessions as AgentSessions, {
    ...who,
    before: session,
    base: session?.state ?? settings.sessionState,
    state,
    counted,
    run: { runId, executorName: settings.name, status, input, content, messages, metrics, pause, createdAtMs },
    metrics: before === undefined ? metrics : metricsSince(before.metrics, metrics),
  });
}

interface Closing extends StepPlace {
  readonly opened: OpenedSession;
  readonly input: unknown;
  readonly result: ExecutorResult;
  readonly session: StoredSession;
}

/** The end of a run. The save is a separate call. */
export async function closeSession({ settings, ctx, options, opened, input, result, session }: Closing): Promise<void> {
  const { statePath = "" } = options;
  const who = whoRuns(settings, options);
  await ctx.run("saved", async (call) => {
    const { runId } = result;
    const now = await loadForRun(settings.sessions as AgentSessions, who, { runs: 1, runId, status: "COMPLETED" });
    if (now !== null && now.runs.length > 0) return null; // by an attempt that has died before it could record this
    const changes = { opened, who, input, result, state: await session.read(ctx), counted: session.counted };
    const saved = await saveChanges(settings, changes);
    return call.finish((all) => {
      writeAt(all, statePath, () => saved);
      return null;
    });
  });
}

function noPlace(sessionId: string | undefined): Error {
  return invalid(
    sessionId === undefined
      ? "A run with a `sessionState` has no place for its state."
      : `A run of the session "${sessionId}" has no place for its state.`,
    'Name the field of the state that keeps it: `agent.run(input, { ctx, sessionId, statePath: "session" })`.',
  );
}
