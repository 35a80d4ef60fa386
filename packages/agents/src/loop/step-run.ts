/**
 * A run of an agent inside of a step: its calls are those of the step, under the key of the run.
 *
 * @module
 */
import { mergeValues, toText } from "@millrace/pipeline/executor";
import { callKey } from "../run/call-key.js";
import { toFailure } from "../run/failure.js";
import { observed } from "../run/observed.js";
import { RunEvents } from "../run/run-events.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { userMessage } from "../settings/media-part.js";
import type { AgentRun } from "../settings/run-options.types.js";
import { tickMs } from "../system.js";
import { runLoop } from "./agent-loop.js";
import { EventSink } from "./event-sink.js";
import { newLedger } from "./ledger.js";
import type { InnerRunOptions, LoopAnswer, LoopRun, OpenedSession } from "./loop-run.types.js";
import { PieceSink } from "./part-sink.js";
import { resultOf } from "./result.js";
import { closeSession, openSession, type StepPlace, whoRuns } from "./step-session.js";
import { StoredSession } from "./stored-session.js";

/** @throws {WorkflowError} the error of a failed run. */
export async function runInStep(
  settings: ExecutorSettings,
  input: unknown,
  options: InnerRunOptions,
): Promise<AgentRun<unknown>> {
  const { host, key = settings.id } = options;
  const startedMs = tickMs();
  const place = { settings, ctx: options.ctx.scope(key), options };
  const opened = await openSession(place);
  const state = sessionOf(place, opened);
  const run = await openLoop(place, { input, key, opened, state });
  host?.opened(run, { opened, input });
  const answer = await (host === undefined ? seen(run, options) : answerOf(run));
  const runId = options.runId ?? `${run.ctx.runId}:${key}`;
  const durationSeconds = host?.seconds ?? (tickMs() - startedMs) / 1000;
  const result = resultOf(run, { answer, runId, durationSeconds });
  if (opened !== null) await closeSession({ ...place, opened, input, result, state });
  return { ...result, agent: answer.agent, ...whoRuns(settings, options), sessionState: await state.read(run.ctx) };
}

async function answerOf(run: LoopRun): Promise<LoopAnswer> {
  try {
    return await runLoop(run);
  } catch (error) {
    throw run.ctx.signal.aborted ? error : toFailure(error, run.settings);
  }
}

/** A run in memory is seen as a whole by its host. */
async function seen(run: LoopRun, { sessionId = null }: { readonly sessionId?: string | null }): Promise<LoopAnswer> {
  const { answer, error } = await observed({ ...run, sessionId }, () =>
    answerOf(run).then(
      (answer) => ({ answer, status: "COMPLETED" as const, error: null, finishReason: answer.finishReason }),
      (error: unknown) => {
        const status = run.ctx.signal.aborted ? ("CANCELLED" as const) : ("ERROR" as const);
        return { answer: null, status, error, finishReason: null };
      },
    ),
  );
  if (answer === null) throw error;
  return answer;
}

function sessionOf({ settings, ctx, options }: StepPlace, opened: OpenedSession | null): StoredSession {
  const { statePath = null } = options;
  const template = settings.sessionState;
  const facts = {
    runId: ctx.runId,
    sessionId: options.sessionId ?? null,
    userId: whoRuns(settings, options).userId,
    dependencies: mergeValues(settings.dependencies, options.dependencies ?? {}),
    metadata: mergeValues(options.metadata ?? {}, settings.metadata),
  };
  const start = opened?.session?.state ?? template;
  return new StoredSession({ path: statePath, defaults: statePath === null ? template : {}, facts, start });
}

interface Opening {
  readonly input: unknown;
  readonly key: string;
  readonly opened: OpenedSession | null;
  readonly state: StoredSession;
}

async function openLoop(
  { settings, ctx, options }: StepPlace,
  { input, key, opened, state }: Opening,
): Promise<LoopRun> {
  const { history = [], idempotencyKey, host, sessionId = null } = options;
  const { images = [], videos = [], audio = [], files = [] } = options;
  const media = [...images, ...videos, ...audio, ...files];
  const said = [await userMessage(toText(input), media, settings.readFile)];
  const own = { settings, runId: ctx.runId, sessionId, parentRunId: null, emit: undefined };
  const events = host?.events ?? new RunEvents(own);
  return {
    settings,
    ctx,
    place: key,
    session: state,
    ledger: host?.ledger ?? newLedger(),
    unstored: [...history, ...(options.isInputStored === true ? [] : said)],
    history: [...(opened?.history ?? []), ...history],
    said,
    turns: [],
    streams: host === undefined || events.emit !== undefined,
    isMember: false,
    media,
    path: "",
    asked: {},
    events,
    sinkOf: (run, call, made) => (host === undefined ? new PieceSink(call) : new EventSink(run, call, made)),
    runKey: idempotencyKey ?? ctx.runId,
    keyOf: (run, call, made) =>
      idempotencyKey === undefined ? call.idempotencyKey : callKey(run.runKey, made, run.turns),
    lead: runLoop,
  };
}
