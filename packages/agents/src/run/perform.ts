/**
 * One run of an agent or a team, from input to result.
 *
 * Writes to the job's state and to nothing else that outlives it. Knows of no sessions.
 *
 * @module
 */
import type { UserModelMessage } from "ai";
import type { WorkflowError } from "millrace";
import type { ExecutorResult } from "../executor.types.js";
import type { ActiveRun, ExecutorSettings, RunJob } from "../settings.types.js";
import { fillMissing } from "../state/live-state.js";
import { createRunContext } from "../state/run-context.js";
import { tickMs } from "../system.js";
import { type Answer, callModel } from "./call-model.js";
import { cancelled, toFailure } from "./failure.js";
import { generatedMedia, mediaSet } from "./media-part.js";
import { sumMetrics } from "./metrics.js";
import { emitStarted } from "./run-events.js";
import { systemText } from "./system-text.js";
import { inputText, plainMessages, userMessage } from "./user-message.js";

export function openRun(settings: ExecutorSettings, job: RunJob): ActiveRun {
  const { runId, sessionId, userId, state, dependencies, metadata, signal } = job;
  const facts = { runId, sessionId, userId, state, dependencies, metadata, signal };
  const context = createRunContext(facts, job.outerContext);
  return { settings, job, context, startedMs: tickMs(), media: [], tools: [], calls: [], members: [] };
}

/** Never rejects: what goes wrong is in the result. The last event is the caller's to emit, after saving. */
export async function performRun(run: ActiveRun): Promise<ExecutorResult> {
  const { settings, job } = run;
  const text = inputText(job.input);
  try {
    emitStarted(run);
    job.signal.throwIfAborted();
    fillMissing(job.state, job.defaults);
    const instructions = await systemText(settings, run.context);
    const message = await userMessage(text, job.media, settings.readFile);
    const answer = await callModel(run, { instructions, messages: [...job.history, message] });
    return completed(run, message, answer);
  } catch (error) {
    if (job.signal.aborted)
      return failed(run, text, { status: "CANCELLED", error: cancelled(job.signal.reason, settings) });
    return failed(run, text, { status: "ERROR", error: toFailure(error, settings) });
  }
}

function completed(run: ActiveRun, message: UserModelMessage, answer: Answer): ExecutorResult {
  return {
    ...gathered(run),
    ...mediaSet([...run.media, ...answer.files.map(generatedMedia)]),
    content: answer.content,
    messages: plainMessages([message, ...answer.messages]),
    status: "COMPLETED",
    error: null,
    finishReason: answer.finishReason,
  };
}

interface Failure {
  readonly status: "ERROR" | "CANCELLED";
  readonly error: WorkflowError;
}

function failed(run: ActiveRun, text: string, failure: Failure): ExecutorResult {
  return {
    ...gathered(run),
    ...mediaSet(run.media),
    content: null,
    messages: [{ role: "user", content: text }],
    ...failure,
    finishReason: null,
  };
}

function gathered(run: ActiveRun): Pick<ExecutorResult, "runId" | "contentType" | "metrics" | "tools" | "memberRuns"> {
  const members = run.members.map(({ metrics }) => metrics);
  const duration = (tickMs() - run.startedMs) / 1000;
  return {
    runId: run.job.runId,
    contentType: run.settings.outputSchema === undefined ? "text" : "object",
    metrics: { ...sumMetrics([...run.calls, ...members]), duration },
    tools: run.tools,
    memberRuns: run.members,
  };
}
