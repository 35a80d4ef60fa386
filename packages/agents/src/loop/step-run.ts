/**
 * A run of an agent inside of a step: its calls are those of the step, under the key of the run.
 *
 * @module
 */
import { mergeValues, toText } from "@millrace/pipeline/executor";
import { toFailure } from "../run/failure.js";
import { observed } from "../run/observed.js";
import { RunEvents } from "../run/run-events.js";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { userMessage } from "../settings/media-part.js";
import type { AgentRun, StepRunOptions } from "../settings/run-options.types.js";
import { tickMs } from "../system.js";
import { runLoop } from "./agent-loop.js";
import { newLedger } from "./ledger.js";
import type { LoopAnswer, LoopRun } from "./loop-run.types.js";
import { PieceSink } from "./part-sink.js";
import { resultOf } from "./result.js";
import { closeStepSession, openStepSession, type StepPlace, type StepSession } from "./step-session.js";
import { storedSession } from "./stored-session.js";

/** @throws {WorkflowError} the error of a failed run. */
export async function runInStep(
  settings: ExecutorSettings,
  input: unknown,
  options: StepRunOptions,
): Promise<AgentRun<unknown>> {
  const { ctx } = options;
  const startedMs = tickMs();
  const key = options.key ?? settings.id;
  const place = { settings, ctx: ctx.scope(key), options };
  const opened = await openStepSession(place);
  const run = await openLoop(place, { input, key, opened });
  const facts = { runId: `${ctx.runId}:${key}`, sessionId: options.sessionId ?? null };
  const { id, name, description, model } = settings;
  const ended = await observed(
    { id, name, description, model, sessionId: facts.sessionId },
    () => endOf(run),
    (end) => endFacts(run, end),
  );
  if ("error" in ended) throw ended.error;
  const result: ExecutorResult = resultOf(run, { ...ended, ...facts, durationSeconds: (tickMs() - startedMs) / 1000 });
  if (opened !== null) await closeStepSession({ ...place, opened, input, result });
  const { signal } = ctx;
  const sessionState = await run.session.use({ ctx: run.ctx, signal }, async (context) => context.snapshot());
  return {
    ...result,
    agent: ended.answer.agent,
    sessionId: facts.sessionId ?? settings.sessionId,
    userId: options.userId || null,
    sessionState,
  };
}

type End = { readonly answer: LoopAnswer } | { readonly error: unknown };

async function endOf(run: LoopRun): Promise<End> {
  try {
    return { answer: await runLoop(run) };
  } catch (error) {
    return { error: run.ctx.signal.aborted ? error : toFailure(error, run.settings) };
  }
}

function endFacts({ ledger, ctx }: LoopRun, end: End) {
  const calls = ledger.made.map(({ inputTokens, outputTokens }) => ({ inputTokens, outputTokens }));
  if ("answer" in end)
    return { status: "COMPLETED" as const, error: null, finishReason: end.answer.finishReason, calls };
  const status = ctx.signal.aborted ? ("CANCELLED" as const) : ("ERROR" as const);
  return { status, error: end.error, finishReason: null, calls };
}

interface Opening {
  readonly input: unknown;
  readonly key: string;
  readonly opened: StepSession | null;
}

async function openLoop({ settings, ctx, options }: StepPlace, { input, key, opened }: Opening): Promise<LoopRun> {
  const { statePath = null, history = [] } = options;
  const { images = [], videos = [], audio = [], files = [] } = options;
  const media = [...images, ...videos, ...audio, ...files];
  const facts = {
    runId: ctx.runId,
    sessionId: options.sessionId ?? null,
    userId: options.userId || settings.userId,
    dependencies: mergeValues(settings.dependencies, options.dependencies ?? {}),
    metadata: mergeValues(options.metadata ?? {}, settings.metadata),
  };
  const said = [await userMessage(toText(input), media, settings.readFile)];
  return {
    settings,
    ctx,
    place: key,
    session: storedSession({ path: statePath, template: settings.sessionState, facts }),
    ledger: newLedger(),
    report: () => {},
    unstored: [...history, ...(options.isInputStored === true ? [] : said)],
    history: [...(opened?.session?.runs ?? []).flatMap(({ messages }) => messages), ...history],
    said,
    turns: [],
    streams: true,
    media,
    path: "",
    asked: {},
    events: new RunEvents({ settings, ...facts, parentRunId: null, emit: undefined }),
    sinkOf: (_run, call) => new PieceSink(call),
    runKey: ctx.runId,
    keyOf: (_run, call) => call.idempotencyKey,
    lead: runLoop,
  };
}
