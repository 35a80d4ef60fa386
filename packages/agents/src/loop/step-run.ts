/**
 * Runs of agents and teams inside of a step: their calls are those of the step.
 *
 * @module
 */
import { mergeValues, toText } from "@millrace/executor";
import { toFailure } from "../run/failure.js";
import { observed } from "../run/observed.js";
import { RunEvents } from "../run/run-events.js";
import type { StepRequest, StepResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { listOf, userMessage } from "../settings/media-part.js";
import type { AgentRun } from "../settings/run-options.types.js";
import { valuesFor } from "../state/live-state.js";
import { tickMs } from "../system.js";
import { runLoop } from "./agent-loop.js";
import { callerSession } from "./caller-session.js";
import type { InnerRunOptions, LoopAnswer, LoopRun, OpenedSession } from "./loop-run.types.js";
import { newLoop } from "./new-loop.js";
import { PieceSink } from "./part-sink.js";
import { newLedger, resultOf, spent } from "./result.js";
import { closeSession, openSession, type StepPlace, whoRuns } from "./step-session.js";
import { StoredSession } from "./stored-session.js";

/**
 * Under a key, with the session state in the state of the workflow. @throws {WorkflowError} the error of a failed run.
 */
export async function runInStep(
  settings: ExecutorSettings,
  input: unknown,
  options: InnerRunOptions,
): Promise<AgentRun<unknown>> {
  const { host, key = settings.id, sessionId = null, isInputStored = false } = options;
  const place = { settings, ctx: options.ctx.scope(key), options };
  const { ctx } = place;
  const startedMs = tickMs();
  const opened = await openSession(place);
  const session = sessionOf(place, opened);
  const run = openLoop(place, { key, opened, session });
  host?.opened(run, { opened, input });
  const runId = options.runId ?? `${ctx.runId}:${key}`;
  const work = { runId, input, isInputStored, signal: ctx.signal, seconds: () => host?.seconds ?? since(startedMs) };
  const ended = await (host === undefined
    ? observed({ ...run, sessionId }, () => perform(run, work))
    : perform(run, work)); // its host is observed
  if (ended.error !== null) throw ctx.signal.aborted ? ctx.signal.reason : ended.error;
  if (opened !== null) await closeSession({ ...place, opened, input, result: ended, session });
  return { ...ended, ...whoRuns(settings, options), sessionState: await session.read(ctx) };
}

/** With the session state of the caller. Never rejects: a failure is part of the result. */
export async function executeInStep(settings: ExecutorSettings, request: StepRequest): Promise<StepResult> {
  const { input, signal, idempotencyKey: runId, sessionId = null } = request;
  const startedMs = tickMs();
  const run = loopOf(settings, request);
  const { agent: _, ...result } = await observed({ ...run, sessionId }, () =>
    perform(run, { runId, input, isInputStored: false, signal, seconds: () => since(startedMs) }),
  );
  run.events.end(result, null);
  return result;
}

const since = (startedMs: number): number => (tickMs() - startedMs) / 1000;

interface Work {
  readonly runId: string;
  readonly input: unknown;
  readonly isInputStored: boolean;
  readonly signal: AbortSignal;
  readonly seconds: () => number;
}

/** Never rejects. */
async function perform(run: LoopRun, work: Work): Promise<StepResult & { readonly agent: string }> {
  const { runId, signal } = work;
  const { settings } = run;
  const end = await answerOf(run, work).catch((error: unknown) =>
    signal.aborted ? { cancelled: signal.reason } : { error: toFailure(error, settings) },
  );
  const agent = "answer" in end ? end.answer.agent : settings.name;
  return { ...resultOf(run, { runId, ...end, seconds: work.seconds() }), agent };
}

async function answerOf(run: LoopRun, { input, isInputStored, signal }: Work): Promise<{ answer: LoopAnswer }> {
  signal.throwIfAborted();
  const message = await userMessage(toText(input), run.media, run.settings.readFile);
  run.said.push(message);
  if (!isInputStored) run.unstored.push(message);
  return { answer: await runLoop(run) };
}

function sessionOf({ settings, ctx, options }: StepPlace, opened: OpenedSession | null): StoredSession {
  const { statePath = null, sessionId = null } = options;
  const template = settings.sessionState;
  const facts = {
    runId: ctx.runId,
    sessionId,
    userId: whoRuns(settings, options).userId,
    dependencies: mergeValues(settings.dependencies, options.dependencies ?? {}),
    metadata: mergeValues(options.metadata ?? {}, settings.metadata),
  };
  const start = opened?.session?.state ?? template;
  return new StoredSession({ path: statePath, defaults: statePath === null ? template : {}, facts, start });
}

interface Opening {
  readonly key: string;
  readonly opened: OpenedSession | null;
  readonly session: StoredSession;
}

function openLoop({ settings, ctx, options }: StepPlace, { key, opened, session }: Opening): LoopRun {
  const { history = [], isHistoryStored = false, idempotencyKey, host, sessionId = null, pageTools = [] } = options;
  const before = [...(opened?.history ?? []), ...history];
  const given = { settings, ctx, place: key, session, runKey: idempotencyKey ?? ctx.runId };
  const unstored = isHistoryStored ? [] : [...history];
  const more = { media: listOf(options), unstored, history: before, pageTools };
  if (host !== undefined) return newLoop({ ...given, ...more, events: host.events, ledger: host.ledger });
  return newLoop({
    ...given,
    ...more,
    events: new RunEvents({ settings, runId: ctx.runId, sessionId, parentRunId: null, emit: undefined }),
    streams: true,
    sinkOf: (_run, call) => new PieceSink(call),
    ...(idempotencyKey === undefined && { keyOf: (_run, call) => call.idempotencyKey }),
  });
}

function loopOf(settings: ExecutorSettings, request: StepRequest): LoopRun {
  const { ctx, history = [], runContext, report, stream: emit, idempotencyKey: runId, parentRunId = null } = request;
  const sessionId = request.sessionId ?? null;
  const values = valuesFor(settings, { dependencies: {}, metadata: {}, ...runContext });
  const facts = { runId, sessionId, userId: request.userId || null, ...values };
  const ledger = newLedger();
  return newLoop({
    settings,
    ctx,
    session: callerSession(request, { ...facts, defaults: settings.sessionState }),
    events: new RunEvents({ isInStep: true, settings, runId, parentRunId, sessionId, emit }),
    ledger,
    history,
    media: listOf(request),
    ...(report !== undefined && { onUsage: () => report(spent(ledger)) }),
    runKey: runId,
  });
}
