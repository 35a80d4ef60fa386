/**
 * Checks a paused run and its answers before anything runs.
 *
 * @module
 */
import { isObject, type ToolAnswer } from "@millrace/pipeline/executor";
import { WorkflowError } from "millrace";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { RunJob } from "../settings/job.types.js";
import type { ExecutorResume, PausedState, ResumedRun } from "../settings/paused-state.types.js";

/** @throws {WorkflowError} `RUN_NOT_PAUSED` unless `state` is a paused run of this executor; `REQUIREMENT_INVALID`. */
export function readPause(settings: ExecutorSettings, { state: given, answers }: ExecutorResume): ResumedRun {
  const state = readState(settings, given);
  checkAnswers(state, answers);
  const byId = new Map(answers.map((answer) => [answer.toolCallId, answer]));
  return {
    state,
    answers: new Map(state.questions.map(({ toolCallId, promptId }) => [promptId, byId.get(toolCallId) as ToolAnswer])),
  };
}

function readState({ id, name }: ExecutorSettings, given: unknown): PausedState {
  if (!isObject(given) || given["version"] !== 2) throw notPaused(`This is no paused run of "${name}".`);
  const state = given as unknown as PausedState;
  if (state.executorId !== id) throw notPaused(`The paused run is of "${state.executorId}", not of "${id}".`);
  return state;
}

export function notPaused(message: string, details: Readonly<Record<string, unknown>> = {}): WorkflowError {
  const error = new WorkflowError({
    code: "RUN_NOT_PAUSED",
    message,
    hint: 'Continue a run whose `status` is "PAUSED", once, with the agent or team that paused it.',
    details,
  });
  error.retryable = false;
  return error;
}

function checkAnswers(state: PausedState, answers: readonly ToolAnswer[]): void {
  const known = state.questions;
  const given = answers.map(({ toolCallId }) => toolCallId);
  const missing = known.filter(({ toolCallId }) => !given.includes(toolCallId));
  const unknown = given.filter((id) => known.every(({ toolCallId }) => toolCallId !== id));
  const problems = [
    ...missing.map(({ toolCallId, toolName }) => `The call "${toolCallId}" of \`${toolName}\` has no answer.`),
    ...unknown.map((id) => `There is no open call "${id}".`),
    ...new Set(
      given.filter((id, index) => given.indexOf(id) !== index).map((id) => `The call "${id}" has two answers.`),
    ),
    ...answers
      .filter(({ approved }) => typeof approved !== "boolean")
      .map(({ toolCallId }) => `\`approved\` of the answer to "${toolCallId}" is neither true nor false.`),
  ];
  if (problems.length > 0) throw invalidAnswers(state.runId, problems);
}

function invalidAnswers(runId: string, problems: readonly string[]): WorkflowError {
  const error = new WorkflowError({
    code: "REQUIREMENT_INVALID",
    message: `The answers do not fit the paused run "${runId}". ${problems.join(" ")}`,
    hint: "Give one answer for each of `pause.requirements`.",
    details: { runId, problems },
  });
  error.retryable = false;
  return error;
}

/**
 * Restores the input, media, history and idempotency key of the paused run.
 *
 * @throws {WorkflowError} `RUN_NOT_PAUSED` or `REQUIREMENT_INVALID`.
 */
export function resumedJob(settings: ExecutorSettings, job: RunJob, resume: ExecutorResume): RunJob {
  const resumed: ResumedRun = readPause(settings, resume);
  const { runId, createdAtMs, idempotencyKey, input, media, history } = resumed.state;
  return { ...job, runId, createdAtMs, idempotencyKey, input, media, history, resumed };
}
