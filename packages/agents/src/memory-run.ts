/**
 * One run of an agent or a team in memory, from input to result, or from one pause to the next: a run of a workflow with one step. A pause
 * is the snapshot of that run.
 *
 * Changes only the job's state. Knows nothing of sessions.
 *
 * @module
 */
import {
  CountingState,
  emptyMetrics,
  type ExecutorPause,
  metricsSince,
  toText,
  type ToolRequirement,
} from "@millrace/pipeline/executor";
import type { UserModelMessage } from "ai";
import {
  Context,
  defineWorkflow,
  type PendingPrompt,
  type QuestionEvent,
  StartEvent,
  StopEvent,
  type WorkflowHandler,
} from "millrace";
import { runLoop } from "./loop/agent-loop.js";
import { newLedger, spent } from "./loop/ledger.js";
import { liveSession } from "./loop/live-session.js";
import type { Ledger, LoopAnswer, LoopRun } from "./loop/loop-run.types.js";
import type { AgentQuestion } from "./loop/questions.js";
import { resultOf } from "./loop/result.js";
import { callKey } from "./run/call-key.js";
import { EventSink } from "./loop/event-sink.js";
import { cancelled, toFailure } from "./run/failure.js";
import { observed } from "./run/observed.js";
import { RunEvents } from "./run/run-events.js";
import type { ExecutorResult } from "./settings/executor.types.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import type { RunJob } from "./settings/job.types.js";
import { mediaSet, plainMessages, userMessage } from "./settings/media-part.js";
import type { PausedQuestion, PausedState } from "./settings/paused-state.types.js";
import { fillMissing } from "./state/live-state.js";
import { later, nowMs, tickMs } from "./system.js";

/** A run that has been opened and not performed yet. */
export interface MemoryRun {
  readonly settings: ExecutorSettings;
  readonly job: RunJob;
  readonly events: RunEvents;
  /** Edits of the session state through `editState`, for merging after the run. */
  readonly edits: CountingState;
  readonly ledger: Ledger;
  readonly startedMs: number;
  /** Name of the agent that has answered: another one after a handoff. */
  answeredBy: string;
}

export function openRun(settings: ExecutorSettings, job: RunJob): MemoryRun {
  const { runId, parentRunId, sessionId, emit, state, base } = job;
  const events = new RunEvents({ settings, runId, parentRunId, sessionId, emit });
  const edits = new CountingState(state, base);
  return { settings, job, events, edits, ledger: newLedger(), startedMs: tickMs(), answeredBy: settings.name };
}

/** Never rejects: a failure is part of the result. The caller emits the last event, after saving. */
export function performRun(run: MemoryRun): Promise<ExecutorResult> {
  const { id, name, description, model } = run.settings;
  const { sessionId } = run.job;
  return observed(
    { id, name, description, model, sessionId },
    () => perform(run),
    ({ status, error, finishReason }) => ({ status, error, finishReason, calls: run.ledger.made }),
  );
}

async function perform(run: MemoryRun): Promise<ExecutorResult> {
  const { job, events, settings } = run;
  try {
    events.begin(job.resumed === null);
    job.signal.throwIfAborted();
    fillMissing(job.state, job.defaults);
    const message = await userMessage(toText(job.input), job.media, settings.readFile);
    return await runFlow(run, message);
  } catch (error) {
    return failedRun(run, error);
  }
}

type End = { readonly loop: LoopRun; readonly answer: LoopAnswer } | { readonly error: unknown };

async function runFlow(run: MemoryRun, message: UserModelMessage): Promise<ExecutorResult> {
  const { job, settings } = run;
  let loop: LoopRun | undefined;
  let end: End | undefined;
  const flow = defineWorkflow(settings.id)
    .step("answer", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      loop = loopOf(run, ctx, message);
      end = await endOf(loop);
      return new StopEvent({ result: null });
    })
    .build({ limits: settings.limits });
  const { signal, resumed } = job;
  const handler = resumed === null ? flow.run({}, { signal }) : flow.resume(snapshotOf(flow, job), { signal });
  for (const [promptId, answer] of resumed?.answers ?? []) await handler.answer(promptId, { ...answer });
  const prompts = await settled(handler);
  if (end !== undefined && "answer" in end) run.answeredBy = end.answer.agent;
  if (loop !== undefined && prompts.length > 0) return paused(run, { loop, handler, prompts });
  if (end === undefined || "error" in end) return failedRun(run, end?.error);
  return resultOf(end.loop, { answer: end.answer, runId: job.runId, durationSeconds: durationOf(run) });
}

function snapshotOf(flow: object, { resumed }: RunJob): never {
  return Context.fromDict(flow as never, resumed?.state.context) as never;
}

/** Waits for the end of a run, or for questions that nothing else is left to do besides. */
async function settled(handler: WorkflowHandler<unknown>): Promise<readonly PendingPrompt[]> {
  for (;;) {
    const outcome = await handler.idle();
    if (outcome.status !== "waiting") return [];
    if (outcome.prompts.length > 0) return outcome.prompts;
    const { wakeAtMs } = outcome;
    await new Promise<void>((wake) => void later(Math.max(0, (wakeAtMs ?? nowMs()) - nowMs()), wake));
  }
}

async function endOf(loop: LoopRun): Promise<End> {
  try {
    return { loop, answer: await runLoop(loop) };
  } catch (error) {
    if (loop.ctx.signal.aborted) throw error;
    return { error };
  }
}

function loopOf(run: MemoryRun, ctx: Context, message: UserModelMessage): LoopRun {
  const { settings, job, events, edits, ledger } = run;
  const { runId, sessionId, userId, state, dependencies, metadata, signal, media, history } = job;
  const facts = { runId, sessionId, userId, state, edits, dependencies, metadata, signal };
  return {
    settings,
    ctx,
    place: settings.id,
    path: "",
    session: liveSession(facts, job.outerContext),
    ledger,
    report: () => job.report?.({ ...spent(ledger), duration: durationOf(run) }),
    events,
    history,
    said: [message],
    turns: [],
    streams: job.emit !== undefined,
    media,
    unstored: [],
    asked: {},
    sinkOf: (loop) => new EventSink(loop),
    runKey: job.idempotencyKey,
    keyOf: (loop, _call, made) => callKey(loop.runKey, made, loop.turns),
    lead: runLoop,
  };
}

interface Paused {
  readonly loop: LoopRun;
  readonly handler: WorkflowHandler<unknown>;
  readonly prompts: readonly PendingPrompt[];
}

async function paused(run: MemoryRun, { loop, handler, prompts }: Paused): Promise<ExecutorResult> {
  const { settings, job, ledger } = run;
  const context = JSON.parse(JSON.stringify(handler.context.toDict()));
  await handler.cancel("The run waits for a person.");
  const { runId, createdAtMs, idempotencyKey, media, history } = job;
  const metrics = { ...spent(ledger), duration: durationOf(run) };
  const questions = prompts.map(questionOfPrompt);
  const facts = { version: 2 as const, executorId: settings.id, runId, createdAtMs, idempotencyKey, media, history };
  const state: PausedState = { ...facts, input: job.input ?? null, context, questions, metrics };
  const requirements = questions.map(({ promptId: _id, ...requirement }) => requirement);
  const pause: ExecutorPause = { requirements, state: JSON.parse(JSON.stringify(state)) };
  showPauses(run, ledger, requirements);
  return { ...gathered(run), messages: plainMessages(loop.said), metrics, status: "PAUSED", pause };
}

/** Members that wait have paused, too, the innermost first. */
function showPauses(run: MemoryRun, { open }: Ledger, requirements: readonly ToolRequirement[]): void {
  for (const { ledger, path, events } of open) {
    showPauses(run, ledger, requirements);
    const own = requirements.filter(({ toolCallId }) => toolCallId.startsWith(path));
    const asked = own.map((one) => ({ ...one, toolCallId: one.toolCallId.slice(path.length) }));
    const pause = { requirements: asked, state: null };
    if (events.hasBegun && own.length > 0) events.end({ ...gathered(run), status: "PAUSED", pause }, null);
  }
}

function questionOfPrompt({ promptId, event }: PendingPrompt): PausedQuestion {
  const { title, details } = event as QuestionEvent;
  const { id, toolName, input } = details as AgentQuestion;
  return { promptId, toolCallId: id, toolName: toolName ?? title, toolArgs: input };
}

/** Builds the result of a run that `error` has ended. */
export function failedRun(run: MemoryRun, error: unknown): ExecutorResult {
  const { settings, job, ledger } = run;
  const isCancelled = job.signal.aborted;
  return {
    ...gathered(run),
    content: isCancelled && ledger.heard.length > 0 ? ledger.heard.join("") : null,
    status: isCancelled ? "CANCELLED" : "ERROR",
    error: isCancelled ? cancelled(job.signal.reason, settings) : toFailure(error, settings),
    finishReason: null,
  };
}

function readableText(input: unknown): string {
  try {
    return toText(input);
  } catch {
    return ""; // the input itself may be the cause of the failure
  }
}

function gathered(run: MemoryRun): ExecutorResult {
  const { settings, job, ledger } = run;
  return {
    runId: job.runId,
    content: null,
    contentType: settings.outputSchema === undefined ? "text" : "object",
    metrics: { ...spent(ledger), duration: durationOf(run) },
    messages: [{ role: "user", content: readableText(job.input) }],
    tools: ledger.tools,
    memberRuns: ledger.members,
    status: "ERROR",
    error: null,
    pause: null,
    finishReason: "tool-calls",
    ...mediaSet(ledger.media),
  };
}

function durationOf({ job, startedMs }: MemoryRun): number {
  return (job.resumed?.state.metrics.duration ?? 0) + (tickMs() - startedMs) / 1000;
}

/** Metrics since the last pause: whoever has stored the pause already has the earlier part. */
export function spentSincePause({ metrics }: ExecutorResult, { resumed }: RunJob): ExecutorResult["metrics"] {
  return resumed === null ? metrics : metricsSince(resumed.state.metrics ?? emptyMetrics, metrics);
}
