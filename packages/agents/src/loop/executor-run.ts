/**
 * A run of an agent or a team as the executor of a step: its calls are those of the step, its questions those of the run, and the session
 * state is that of the caller.
 *
 * @module
 */
import { mergeValues, toText } from "@millrace/pipeline/executor";
import type { WorkflowError } from "millrace";
import { callKey } from "../run/call-key.js";
import { cancelled, toFailure } from "../run/failure.js";
import { observed } from "../run/observed.js";
import { RunEvents } from "../run/run-events.js";
import type { StepRequest, StepResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { userMessage } from "../settings/media-part.js";
import { tickMs } from "../system.js";
import { runLoop } from "./agent-loop.js";
import { callerSession } from "./caller-session.js";
import { EventSink } from "./event-sink.js";
import { newLedger, spent } from "./ledger.js";
import type { LoopRun } from "./loop-run.types.js";
import { resultOf } from "./result.js";

/** Never rejects: a failure is part of the result. */
export function executeInStep(settings: ExecutorSettings, request: StepRequest): Promise<StepResult> {
  const run = loopOf(settings, request);
  return observed({ ...run, sessionId: request.sessionId ?? null }, () => perform(run, request));
}

async function perform(run: LoopRun, request: StepRequest): Promise<StepResult> {
  const startedMs = tickMs();
  const result = await resultIn(run, request);
  const ended = { ...result, metrics: { ...result.metrics, duration: (tickMs() - startedMs) / 1000 } };
  run.events.end(ended, null);
  return ended;
}

async function resultIn(run: LoopRun, { input, signal }: StepRequest): Promise<StepResult> {
  const { settings, events, ledger, media } = run;
  const { runId } = events;
  try {
    signal.throwIfAborted();
    run.said.push(await userMessage(toText(input), media, settings.readFile));
    return resultOf(run, { answer: await runLoop(run), runId });
  } catch (error) {
    if (!signal.aborted) return resultOf(run, { error: finalIfRecorded(toFailure(error, settings)), runId });
    const content = ledger.heard.length > 0 ? ledger.heard.join("") : null;
    const failed = resultOf(run, { error: cancelled(signal.reason, settings), runId });
    return { ...failed, status: "CANCELLED", content };
  }
}

/** A retry of the step would recall the same answer. */
function finalIfRecorded(failure: WorkflowError): WorkflowError {
  if (failure.code === "AGENT_OUTPUT_INVALID") failure.retryable = false;
  return failure;
}

function loopOf(settings: ExecutorSettings, request: StepRequest): LoopRun {
  const { images = [], videos = [], audio = [], files = [], history = [], runContext, report } = request;
  const runId = request.idempotencyKey;
  const sessionId = request.sessionId ?? null;
  const given = runContext?.dependencies ?? {};
  const ledger = newLedger();
  return {
    settings,
    ctx: request.ctx,
    place: settings.id,
    path: "",
    session: callerSession(request, {
      runId,
      sessionId,
      userId: request.userId || null,
      dependencies: Object.keys(given).length > 0 ? given : settings.dependencies,
      metadata: mergeValues(runContext?.metadata ?? {}, settings.metadata),
      defaults: settings.sessionState,
    }),
    ledger,
    events: new RunEvents({
      isInStep: true,
      settings,
      runId,
      parentRunId: request.parentRunId ?? null,
      sessionId,
      emit: request.stream,
    }),
    history,
    said: [],
    turns: [],
    streams: request.stream !== undefined,
    isMember: false,
    media: [...images, ...videos, ...audio, ...files],
    unstored: [],
    asked: {},
    sinkOf: (...call) => new EventSink(...call),
    ...(report !== undefined && { onUsage: () => report(spent(ledger)) }),
    runKey: request.idempotencyKey,
    keyOf: (loop, _call, made) => callKey(loop.runKey, made, loop.turns),
    lead: runLoop,
  };
}
