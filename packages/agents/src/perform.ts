/**
 * One run of an agent or a team, from input to result, or from one pause to the next.
 *
 * Changes only the job's state. Knows nothing of sessions.
 *
 * @module
 */
import { CountingState, emptyMetrics, toText } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import { WorkflowError } from "millrace";
import type { ExecutorResult, MemberRun } from "./settings/executor.types.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import { answerCalls } from "./pause/answer-calls.js";
import { ownMetrics, type PausedPart, pauseOf } from "./pause/pause-of.js";
import type { ResumedRun } from "./settings/paused-state.types.js";
import { createRunContext, fillMissing } from "./state/live-state.js";
import { tickMs } from "./system.js";
import type { ActiveRun } from "./run/active-run.types.js";
import { CallKeys } from "./run/call-keys.js";
import { type Answer, callModel } from "./run/call-model.js";
import { cancelled, toFailure } from "./run/failure.js";
import type { RunJob } from "./settings/job.types.js";
import { generatedMedia, mediaSet, plainMessages, userMessage } from "./settings/media-part.js";
import { totalMetrics } from "./run/metrics.js";
import { observed } from "./run/observed.js";
import { emitStarted } from "./run/run-events.js";
import { systemText } from "./run/system-text.js";

export function openRun(settings: ExecutorSettings, job: RunJob): ActiveRun {
  const { runId, sessionId, userId, state, dependencies, metadata, signal, resumed } = job;
  const edits = new CountingState(state, job.base);
  const facts = { runId, sessionId, userId, state, edits, dependencies, metadata, signal };
  const context = createRunContext(facts, job.outerContext);
  const earlier = resumed?.state;
  return {
    settings,
    job,
    context,
    edits,
    startedMs: tickMs(),
    before: { modelCalls: earlier?.modelCalls ?? 0, metrics: earlier?.metrics ?? emptyMetrics },
    media: [...(earlier?.madeMedia ?? [])],
    tools: [...(earlier?.tools ?? [])],
    calls: [],
    said: [],
    members: (earlier?.memberRuns ?? []).map(withError),
    keys: new CallKeys(job.idempotencyKey, earlier?.keyCounts ?? {}),
    waiting: [],
  };
}

/** Revives the errors, which a pause stores as data. */
function withError(member: MemberRun): MemberRun {
  const error = member.error === null ? null : new WorkflowError(member.error);
  return { ...member, error, memberRuns: member.memberRuns.map(withError) };
}

/** Never rejects: a failure is part of the result. The caller emits the last event, after saving. */
export function performRun(run: ActiveRun): Promise<ExecutorResult> {
  const { id, name, description, model } = run.settings;
  const { sessionId } = run.job;
  return observed(
    { id, name, description, model, sessionId },
    () => perform(run),
    ({ status, error, finishReason }) => ({ status, error, finishReason, calls: run.calls }),
  );
}

async function perform(run: ActiveRun): Promise<ExecutorResult> {
  const { settings, job } = run;
  try {
    emitStarted(run);
    job.signal.throwIfAborted();
    fillMissing(job.state, job.defaults);
    const message = await userMessage(toText(job.input), job.media, settings.readFile);
    const earlier = job.resumed === null ? [] : await answerCalls(run, job.resumed);
    if (run.waiting.length > 0) return paused(run, [message, ...earlier], keptBack(job.resumed));

    const instructions = await systemText(settings, run.context);
    const answer = await callModel(run, { instructions, messages: [...job.history, message, ...earlier] });
    const messages = [message, ...earlier, ...answer.messages];
    if (answer.calls.length > 0 || run.waiting.length > 0)
      return paused(run, messages, { calls: answer.calls, answers: [] });
    return completed(run, messages, answer);
  } catch (error) {
    return failedRun(run, error);
  }
}

type OpenCalls = Pick<PausedPart, "calls" | "answers">;

/** The run's own calls with the answers given so far, which wait until no member waits. */
function keptBack(resumed: ResumedRun | null): OpenCalls {
  const calls = resumed?.state.calls ?? [];
  return { calls, answers: calls.flatMap(({ toolCallId }) => resumed?.answers.get(toolCallId) ?? []) };
}

function completed(run: ActiveRun, messages: readonly ModelMessage[], answer: Answer): ExecutorResult {
  return {
    ...gathered(run),
    ...mediaSet([...run.media, ...answer.files.map((file) => generatedMedia(file))]),
    content: answer.content,
    messages: plainMessages(messages),
    status: "COMPLETED",
    error: null,
    finishReason: answer.finishReason,
  };
}

function paused(run: ActiveRun, [message, ...messages]: readonly ModelMessage[], open: OpenCalls) {
  const result = gathered(run);
  const metrics = { own: ownMetrics(run, result.metrics.duration), total: result.metrics };
  return {
    ...result,
    ...mediaSet(run.media),
    content: null,
    messages: plainMessages([message as ModelMessage, ...messages]),
    status: "PAUSED" as const,
    error: null,
    pause: pauseOf(run, { ...open, messages, metrics }),
    finishReason: "tool-calls",
  };
}

/** Builds the result of a run that `error` has ended. */
export function failedRun(run: ActiveRun, error: unknown): ExecutorResult {
  const { settings, job } = run;
  const isCancelled = job.signal.aborted;
  return {
    ...gathered(run),
    ...mediaSet(run.media),
    content: isCancelled && run.said.length > 0 ? run.said.join("") : null,
    messages: [{ role: "user", content: readableText(job.input) }],
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

type Gathered = Pick<ExecutorResult, "runId" | "contentType" | "metrics" | "tools" | "memberRuns" | "pause">;

function gathered(run: ActiveRun): Gathered {
  const { before, calls, members, waiting, settings } = run;
  const others = [...members, ...waiting].map(({ metrics }) => metrics);
  const duration = before.metrics.duration + (tickMs() - run.startedMs) / 1000;
  return {
    runId: run.job.runId,
    contentType: settings.outputSchema === undefined ? "text" : "object",
    metrics: { ...totalMetrics([before.metrics, ...calls, ...others]), duration },
    tools: run.tools,
    memberRuns: members,
    pause: null,
  };
}
