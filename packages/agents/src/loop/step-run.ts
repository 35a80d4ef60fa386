/**
 * A run of an agent inside of a step: its calls are those of the step, under the key of the run.
 *
 * @module
 */
import { mergeValues, toText } from "@millrace/pipeline/executor";
import { toFailure } from "../run/failure.js";
import { observed } from "../run/observed.js";
import { RunEvents } from "../run/run-events.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { listOf, userMessage } from "../settings/media-part.js";
import type { AgentRun } from "../settings/run-options.types.js";
import { tickMs } from "../system.js";
import { runLoop } from "./agent-loop.js";
import type { InnerRunOptions, LoopAnswer, LoopRun, OpenedSession } from "./loop-run.types.js";
import { newLoop } from "./new-loop.js";
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
  const session = sessionOf(place, opened);
  const run = await openLoop(place, { input, key, opened, session });
  host?.opened(run, { opened, input });
  const answer = await (host === undefined ? seen(run, options) : answerOf(run));
  const runId = options.runId ?? `${run.ctx.runId}:${key}`;
  const result = resultOf(run, { runId, answer, seconds: host?.seconds ?? (tickMs() - startedMs) / 1000 });
  if (opened !== null) await closeSession({ ...place, opened, input, result, session });
  return { ...result, agent: answer.agent, ...whoRuns(settings, options), sessionState: await session.read(run.ctx) };
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
  readonly input: unknown;
  readonly key: string;
  readonly opened: OpenedSession | null;
  readonly session: StoredSession;
}

async function openLoop(
  { settings, ctx, options }: StepPlace,
  { input, key, opened, session }: Opening,
): Promise<LoopRun> {
  const { history = [], idempotencyKey, host, sessionId = null } = options;
  const media = listOf(options);
  const said = [await userMessage(toText(input), media, settings.readFile)];
  const unstored = [...history, ...(options.isInputStored === true ? [] : said)];
  const before = [...(opened?.history ?? []), ...history];
  const facts = { settings, runId: ctx.runId, sessionId, parentRunId: null, emit: undefined };
  const given = { settings, ctx, place: key, session, runKey: idempotencyKey ?? ctx.runId };
  const more = { media, said, unstored, history: before };
  if (host !== undefined) return newLoop({ ...given, ...more, events: host.events, ledger: host.ledger });
  return newLoop({
    ...given,
    ...more,
    events: new RunEvents(facts),
    streams: true,
    sinkOf: (_run, call) => new PieceSink(call),
    ...(idempotencyKey === undefined && { keyOf: (_run, call) => call.idempotencyKey }),
  });
}
