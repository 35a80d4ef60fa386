import type { Duration, RetryPolicy } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";
import { reviewProblems } from "../human/check-review.js";
import type { HumanReview } from "../human/human-review.types.js";
import type { CoreWorkflow, Executor, StepFunction } from "./executor.types.js";
import { errorPolicies, historyProblems, nameProblems, refuse, typeProblems, wordProblems } from "./option-problems.js";
import type { PipelineLike } from "./pipeline-like.types.js";
import { unrunnable } from "./runnable.js";

/** What becomes of a run whose step has failed for good: it fails, goes on behind it, or asks people whether to try again. */
export type ErrorPolicy = "fail" | "skip" | "pause";

export interface StepOptions {
  /** @default that of the executor */
  readonly name?: string;
  readonly description?: string;
  readonly executor: StepFunction | Executor | PipelineLike | CoreWorkflow;
  /** Attempts after the first one. @default 3 for an agent or a team, else 0 */
  readonly maxRetries?: number;
  /** Instead of `maxRetries`: with waits between attempts, or only for some errors. */
  readonly retry?: RetryPolicy;
  /** Of one attempt. @default none */
  readonly timeout?: Duration;
  /** @default "fail" */
  readonly onError?: ErrorPolicy;
  /** Puts earlier runs of the session in front of the message of an agent or a team. @default that of the pipeline */
  readonly addWorkflowHistory?: boolean;
  /** How many of them, 0 to 1,000. @default that of the pipeline, else all */
  readonly numHistoryRuns?: number;
  /** What people are asked before and after it runs. */
  readonly humanReview?: HumanReview;
}

/** One unit of work of a pipeline. */
export class Step {
  readonly kind = "step";
  readonly options: StepOptions;

  /** @throws {WorkflowError} `OPTION_INVALID` naming all that is wrong. */
  constructor(options: StepOptions) {
    const { executor, maxRetries, name, onError, numHistoryRuns } = options;
    const stranger = unrunnable(executor);
    refuse(
      `The step "${name ?? "without a name"}" cannot be made`,
      unknownOptions(options, known),
      stranger === null ? [] : [`\`executor\` is ${stranger}`],
      maxRetries === undefined || (Number.isInteger(maxRetries) && maxRetries >= 0)
        ? []
        : [`\`maxRetries\` is ${String(maxRetries)}, not a whole number of at least 0`],
      nameProblems(name),
      wordProblems("onError", onError, errorPolicies),
      historyProblems(numHistoryRuns),
      typeProblems(options, { description: "text", timeout: "duration", addWorkflowHistory: "boolean" }),
      reviewProblems("step", options.humanReview),
    );
    this.options = options;
  }
}

const known: OptionNames<StepOptions> = {
  name: true,
  description: true,
  executor: true,
  maxRetries: true,
  retry: true,
  timeout: true,
  onError: true,
  addWorkflowHistory: true,
  numHistoryRuns: true,
  humanReview: true,
};
