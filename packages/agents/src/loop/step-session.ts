/**
 * The session of a run in a step: loaded once, before its first call, and saved once, after its last.
 *
 * Between the two, the state of the workflow keeps the session state. What concurrent runs of the session have saved meanwhile is merged.
 *
 * @module
 */
import { startState } from "@millrace/pipeline/executor";
import type { Context } from "millrace";
import { loadForRun, saveSession, sessionRun } from "../sessions/saved-session.js";
import { invalid } from "../settings/check-options.js";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { StepRunOptions } from "../settings/run-options.types.js";
import type { AgentSession, AgentSessions } from "../settings/sessions.types.js";
import { nowMs } from "../system.js";
import { writeAt } from "./stored-session.js";

/** A session that a run has loaded. */
export interface StepSession {
  readonly session: AgentSession | null;
  readonly createdAtMs: number;
}

export interface StepPlace {
  readonly settings: ExecutorSettings;
  /** The scope of the run. */
  readonly ctx: Context;
  readonly options: StepRunOptions;
}

/** `null` for a run without a session of its own: of an agent without `sessions`, or without a `sessionId`. */
export async function openStepSession({ settings, ctx, options }: StepPlace): Promise<StepSession | null> {
  const { sessions, addHistoryToContext, numHistoryRuns, sessionState: template } = settings;
  const { statePath, sessionId, userId = null } = options;
  if (sessions === undefined || sessionId === undefined) return null;
  if (statePath === undefined) throw noPlace(sessionId);
  const query = { runs: addHistoryToContext ? numHistoryRuns : 0, status: "COMPLETED" } as const;
  const opened = await ctx.run("session", async () => {
    const session = await loadForRun(sessions, { sessionId, userId: userId || settings.userId }, query);
    return { session, createdAtMs: nowMs() };
  });
  const stored = opened.session?.state ?? null;
  const state = startState({ template, stored, given: null, overwrite: false });
  await ctx.store.editState((all) => writeAt(all, statePath, () => state), { key: "session" });
  return opened;
}

interface Closing extends StepPlace {
  readonly opened: StepSession;
  readonly input: unknown;
  readonly result: ExecutorResult;
}

/** Saves what the run has changed, and the run itself. */
export async function closeStepSession({ settings, ctx, options, opened, input, result }: Closing): Promise<void> {
  const { statePath = "", sessionId = "", userId = null } = options;
  const sessions = settings.sessions as AgentSessions; // it was opened
  const who = { sessionId, userId: userId || settings.userId };
  await ctx.run("saved", async () => {
    const { runId } = result;
    const now = await loadForRun(sessions, who, { runs: 1, runId, status: "COMPLETED" });
    if (now !== null && now.runs.length > 0) return null; // by an attempt that has died before it could record this
    const state = (await ctx.store.get(statePath)) as AgentSession["state"];
    const { session, createdAtMs } = opened;
    const run = sessionRun(settings, { input, createdAtMs }, result);
    const base = session?.state ?? settings.sessionState;
    await saveSession(sessions, { ...who, before: session, base, state, counted: {}, run, metrics: result.metrics });
    return null;
  });
}

function noPlace(sessionId: string): Error {
  return invalid(
    `A run of the session "${sessionId}" has no place for its state.`,
    'Name the field of the workflow\'s state that keeps it: `agent.run(input, { ctx, sessionId, statePath: "session" })`.',
  );
}
