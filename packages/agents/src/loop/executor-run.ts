/**
 * A run of an agent or a team as the executor of a step: its calls are those of the step, its questions those of the run, and the session
 * state is that of the caller.
 *
 * @module
 */
import { toText } from "@millrace/pipeline/executor";
import type { Context } from "millrace";
import { toFailure } from "../run/failure.js";
import { observed } from "../run/observed.js";
import { RunEvents } from "../run/run-events.js";
import type { StepRequest, StepResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { listOf, userMessage } from "../settings/media-part.js";
import { valuesFor } from "../state/live-state.js";
import { tickMs } from "../system.js";
import { runLoop } from "./agent-loop.js";
import { callerSession } from "./caller-session.js";
import { newLedger, spent } from "./ledger.js";
import type { LoopRun } from "./loop-run.types.js";
import { newLoop } from "./new-loop.js";
import { type LoopEnd, resultOf } from "./result.js";

/** Never rejects: a failure is part of the result. */
export function executeInStep(settings: ExecutorSettings, request: StepRequest): Promise<StepResult> {
  const run = loopOf(settings, request);
  return observed({ ...run, sessionId: request.sessionId ?? null }, () => perform(run, request));
}

async function perform(run: LoopRun, request: StepRequest): Promise<StepResult> {
  const startedMs = tickMs();
  const end = await endOf(run, request);
  const result = resultOf(run, { runId: run.events.runId, ...end, seconds: (tickMs() - startedMs) / 1000 });
  run.events.end(result, null);
  return result;
}

async function endOf(run: LoopRun, { input, signal }: StepRequest): Promise<LoopEnd> {
  const { settings, media } = run;
  try {
    signal.throwIfAborted();
    run.said.push(await userMessage(toText(input), media, settings.readFile));
    return { answer: await runLoop(run) };
  } catch (error) {
    return signal.aborted ? { cancelled: signal.reason } : { error: toFailure(error, settings) };
  }
}

function loopOf(settings: ExecutorSettings, request: StepRequest): LoopRun {
  const { ctx, history = [], runContext, report, stream: emit, idempotencyKey: runId, parentRunId = null } = request;
  const sessionId = request.sessionId ?? null;
  const values = valuesFor(settings, { dependencies: {}, metadata: {}, ...runContext });
  const facts = { runId, sessionId, userId: request.userId || null, ...values };
  const ledger = newLedger();
  return newLoop({
    settings,
    ctx: ctx as Context,
    session: callerSession(request, { ...facts, defaults: settings.sessionState }),
    events: new RunEvents({ settings, runId, parentRunId, sessionId, emit }),
    ledger,
    history,
    media: listOf(request),
    ...(report !== undefined && { onUsage: () => report(spent(ledger)) }),
    runKey: runId,
  });
}
