/** Sends the answers of people to a paused run. */
import { WorkflowError } from "millrace";
import { decisionProblems } from "../human/check-decision.js";
import { invalidDecisions, type StepRequirement } from "../human/requirement.js";
import type { HumanDecision } from "../human/requirement.types.js";
import type { PipelineRunOutput } from "../output/run-output.types.js";
import { type PipelineRun, promptClosed, unresolved } from "./pipeline-run.js";

/** An answer from outside, with the id of its question. */
export interface RequirementAnswer {
  readonly requirementId: string;
  readonly decision: HumanDecision;
}

/** The answers to a paused run: requirements with a decision, or answers by id. */
export interface ContinueOptions {
  /** Requirements, of which those with a decision count. @default the requirements of the output */
  readonly requirements?: readonly StepRequirement[];
  readonly answers?: readonly RequirementAnswer[];
  /** User to whom the run must belong. @default any */
  readonly userId?: string;
  /** Dependencies for the rest of the run in this process, merged over the earlier ones. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
}

interface Continued {
  readonly paused: PipelineRunOutput | string;
  readonly options: ContinueOptions;
}

/** Checks the answers as far as possible at once. Resolves when the run has accepted every answer. */
export function answersTo(run: PipelineRun, { paused, options }: Continued): Promise<unknown> {
  if (typeof paused !== "string" && paused.status !== "PAUSED") throw notPaused(paused.runId, paused.status);
  const requirements = options.requirements ?? (typeof paused === "string" ? [] : paused.requirements);
  const answered = requirements.filter(({ isResolved }) => isResolved);
  const { answers = [], userId } = options;
  if (answered.length + answers.length === 0) throw unresolved(run.runId, requirements);
  return sendAnswers(run, { answered, answers, userId });
}

interface Answering {
  readonly answered: readonly StepRequirement[];
  readonly answers: readonly RequirementAnswer[];
  readonly userId: string | undefined;
}

async function sendAnswers(run: PipelineRun, { answered, answers, userId }: Answering): Promise<void> {
  const output = await run.look();
  if (userId !== undefined) assertOwnRun(output, userId);
  const all = [...answered.map(answerOf), ...answers];
  const { status, requirements } = output;
  const canContinue = status === "PAUSED" || status === "RUNNING";
  if (!canContinue && answers.length > 0) throw notPaused(run.runId, status);
  if (canContinue) check(run.runId, all, { isPaused: status === "PAUSED", requirements });
  const receipts = await run.answerAll(all);
  const failed = receipts.find((one) => one.status === "rejected");
  if (failed !== undefined)
    throw withTaken(
      failed.reason,
      all.filter((_, index) => receipts[index]?.status === "fulfilled"),
    );
}

function answerOf({ requirementId, decision }: StepRequirement): RequirementAnswer {
  return { requirementId, decision: decision as HumanDecision };
}

/**
 * Adds the accepted answers to an error: if another caller has already answered one, the caller needs to know which of
 * its own count.
 */
function withTaken(error: unknown, taken: readonly RequirementAnswer[]): unknown {
  if (!WorkflowError.is(error) || taken.length === 0) return error;
  const accepted = taken.map(({ requirementId }) => requirementId);
  return new WorkflowError({
    code: error.code,
    message: `${error.message} The other answers count: ${accepted.join(", ")}.`,
    hint: error.hint,
    details: { ...error.details, accepted },
    cause: error,
  });
}

interface Answerable {
  readonly isPaused: boolean;
  readonly requirements: readonly StepRequirement[];
}

/** Accepts all answers or none. */
function check(runId: string, answers: readonly RequirementAnswer[], { isPaused, requirements }: Answerable): void {
  const open = new Map(requirements.map((requirement) => [requirement.requirementId, requirement]));
  const closed = answers.find(({ requirementId }) => isPaused && !open.has(requirementId));
  if (closed !== undefined) throw promptClosed(runId, closed.requirementId);
  const wrong = answers.flatMap(({ requirementId, decision }) => {
    const data = open.get(requirementId)?.data;
    const problems = data === undefined ? [] : decisionProblems(data, decision);
    return data === undefined || problems.length === 0 ? [] : [{ data, problems }];
  });
  if (wrong.length > 0) throw invalidDecisions(wrong);
}

/** @throws {WorkflowError} `SESSION_FOREIGN` */
export function assertOwnRun(
  { runId, userId: owner }: Pick<PipelineRunOutput, "runId" | "userId">,
  userId: string,
): void {
  if (owner === null || owner === userId) return;
  throw new WorkflowError({
    code: "SESSION_FOREIGN",
    message: `The run "${runId}" belongs to another user than "${userId}".`,
    hint: "Use the id of a run of this user.",
    details: { runId, userId },
  });
}

function notPaused(runId: string, status: string): WorkflowError {
  return new WorkflowError({
    code: "RUN_NOT_PAUSED",
    message: `The run "${runId}" cannot be continued: it is ${status}, not PAUSED.`,
    hint: "Look at `output.status` before you continue a run; start a new run after its end.",
    details: { runId, status },
  });
}
