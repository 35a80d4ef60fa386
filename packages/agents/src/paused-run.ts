/**
 * A run that waits for people, or has failed, as plain data; and the check of what it is continued with, before
 * anything runs.
 *
 * @module
 */
import { callOfQuestion, type ExecutorPause, isObject, type ToolRequirement } from "@millrace/executor";
import { type ContextDict, type PendingPrompt, type QuestionEvent, WorkflowError } from "millrace";
import { asJson } from "./settings/plain.js";
import type { CallAnswer, PausedRun } from "./settings/run-options.types.js";
import type { AgentSessionRun } from "./settings/sessions.types.js";

/** A question of a paused run. */
export interface PausedQuestion extends ToolRequirement {
  readonly promptId: string;
}

export interface PausedRunState {
  readonly version: 3;
  /** Id of the agent or team. */
  readonly executorId: string;
  /** `"failed"`: its failed work is done again; what its calls have done is not. */
  readonly status: "waiting" | "failed";
  readonly context: ContextDict;
  readonly questions: readonly PausedQuestion[];
  /** How long it has worked. */
  readonly seconds: number;
}

export function pauseOf(state: PausedRunState): ExecutorPause {
  const requirements = state.questions.map(({ promptId: _id, ...requirement }) => requirement);
  return { requirements, state: asJson(state) };
}

export function questionOfPrompt({ promptId, event }: PendingPrompt): PausedQuestion {
  return { promptId, ...callOfQuestion(event as QuestionEvent) };
}

type Owner = { readonly id: string; readonly name: string };

/**
 * The stored run wins over the given one: it may have been continued since the caller saw it paused.
 *
 * @throws {WorkflowError} `RUN_NOT_PAUSED`
 */
export function stateOfPaused(
  { id, name }: Owner,
  { runId, status = "PAUSED", pause }: PausedRun,
  stored: AgentSessionRun | undefined,
): PausedRunState {
  const now = stored?.status ?? status;
  const found = stored === undefined ? pause : (stored.pause ?? null);
  if (!(now === "PAUSED" || now === "ERROR") || !found) {
    const why = now === "PAUSED" ? "nothing to continue from" : `the status ${now}`;
    throw notPaused(`The run "${runId}" has ${why}.`, { runId, status: now });
  }
  const { state } = found;
  if (!isObject(state) || state["version"] !== 3) throw notPaused(`This is no paused run of "${name}".`, { runId });
  const read = state as unknown as PausedRunState;
  if (read.executorId !== id) throw notPaused(`The paused run is of "${read.executorId}", not of "${id}".`, { runId });
  return read;
}

export function notPaused(message: string, details: Readonly<Record<string, unknown>>): WorkflowError {
  const error = new WorkflowError({
    code: "RUN_NOT_PAUSED",
    message,
    hint: "Continue a run that waits for answers or has failed, once, with the agent or team that ran it.",
    details,
  });
  error.retryable = false;
  return error;
}

/**
 * The answers by the ids of their prompts. A failed run has the answers that it was given.
 *
 * @throws {WorkflowError} `REQUIREMENT_INVALID` naming every problem.
 */
export function repliesTo(
  runId: string,
  { questions, status }: PausedRunState,
  answers: readonly CallAnswer[],
): readonly (readonly [promptId: string, reply: object])[] {
  if (status === "failed") return [];
  const problems = problemsOf(questions, answers);
  if (problems.length > 0) throw invalidAnswers(runId, problems);
  const prompts = new Map(questions.map(({ toolCallId, promptId }) => [toolCallId, promptId]));
  return answers.map(({ toolCallId, note = null, values, ...reply }) => [
    prompts.get(toolCallId) ?? "",
    values ?? { ...reply, note },
  ]);
}

function problemsOf(questions: readonly PausedQuestion[], answers: readonly CallAnswer[]): readonly string[] {
  const given = answers.map(({ toolCallId }) => toolCallId);
  const missing = questions.filter(({ toolCallId }) => !given.includes(toolCallId));
  const unknown = given.filter((id) => questions.every(({ toolCallId }) => toolCallId !== id));
  const twice = new Set(given.filter((id, index) => given.indexOf(id) !== index));
  const unclear = answers.filter(({ approved }) => typeof approved !== "boolean");
  return [
    ...missing.map(({ toolCallId, toolName }) => `The call "${toolCallId}" of \`${toolName}\` has no answer.`),
    ...unknown.map((id) => `There is no open call "${id}".`),
    ...[...twice].map((id) => `The call "${id}" has two answers.`),
    ...unclear.map(({ toolCallId }) => `\`approved\` of the answer to "${toolCallId}" is neither true nor false.`),
  ];
}

function invalidAnswers(runId: string, problems: readonly string[]): WorkflowError {
  const error = new WorkflowError({
    code: "REQUIREMENT_INVALID",
    message: `The answers do not fit the paused run "${runId}". ${problems.join(" ")}`,
    hint: "Pass one answer for each of `pause.requirements`.",
    details: { runId, problems },
  });
  error.retryable = false;
  return error;
}

/** Runs that are being continued, by where they are stored. */
const continued = new WeakMap<object, Set<string>>();

/** Continues one run at a time. @throws {WorkflowError} `RUN_NOT_PAUSED` for a run that is being continued. */
export async function whileAlone<Result>(where: object, runId: string, work: () => Promise<Result>): Promise<Result> {
  const atWork = continued.get(where) ?? new Set();
  continued.set(where, atWork);
  if (atWork.has(runId)) throw notPaused(`The run "${runId}" is being continued.`, { runId });
  atWork.add(runId);
  try {
    return await work();
  } finally {
    atWork.delete(runId);
  }
}
