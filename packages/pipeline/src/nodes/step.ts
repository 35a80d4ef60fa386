import { type Executor, historyRuns, type RunContext } from "@millrace/executor";
import { type Duration, type RetryPolicy, Workflow } from "millrace";
import { checkOptions, duration, flag, type Rules, text, wholeNumber, withMethods } from "millrace/engine";
import type { AnyStepFunction, CoreWorkflow, PipelineLike, StepFunction } from "../data/step-function.types.js";
import type { StepInput } from "../data/step-input.js";
import { reviewOf } from "../human/check-review.js";
import type { HumanReview } from "../human/human-review.types.js";
import { assertOptions, errorPolicy, nameIn, stepName } from "../human/option-rules.js";
import type { ContentOf, HasContents, NamedContent } from "./contents.types.js";

/** Handling of a step that has finally failed: the run fails, continues after the step, or asks people whether to retry. */
export type ErrorPolicy = "fail" | "skip" | "pause";

/** What does the work of a step: a function, an agent, a team, a pipeline or a workflow. */
export type StepExecutor<Run = AnyStepFunction> = Run | Executor | PipelineLike | CoreWorkflow;

/** Options of a `Step`. */
export interface StepOptions<Run = StepFunction, Name extends string = string> {
  /** @default the name of the executor */
  readonly name?: Name;
  readonly description?: string;
  readonly executor: StepExecutor<Run>;
  /** Attempts after the first. @default 3 for an agent or a team, otherwise 0 */
  readonly maxRetries?: number;
  /** Replaces `maxRetries`, for delays between attempts or for retries of some errors only. */
  readonly retry?: RetryPolicy;
  /** Time limit of one attempt. @default none */
  readonly timeout?: Duration;
  /** @default "fail" */
  readonly onError?: ErrorPolicy;
  /** Puts earlier runs of the session before the message of an agent or a team. @default the option of the pipeline */
  readonly addWorkflowHistory?: boolean;
  /** Number of these runs, 0 to 1,000. @default the option of the pipeline, or all */
  readonly numHistoryRuns?: number;
  /** Questions to people before and after the step. */
  readonly humanReview?: HumanReview;
}

/** One unit of work in a pipeline. All types are inferred from its options. */
export class Step<const Name extends string = never, Result = unknown, Context = RunContext, Input = StepInput>
  implements HasContents<NamedContent<Name, ContentOf<Result>>>
{
  declare readonly "~contents"?: NamedContent<Name, ContentOf<Result>>;
  readonly kind = "step";
  readonly options: StepOptions<AnyStepFunction>;

  /** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
  constructor(options: StepOptions<StepFunction<Context, Input, Result>, Name>) {
    assertOptions("The step", options);
    this.options = options as StepOptions<AnyStepFunction>;
    checkOptions(`The step "${nameIn(options)}" cannot be made`, this.options, { rules });
  }
}

const rules: Rules<StepOptions<AnyStepFunction>> = {
  description: text,
  executor: (executor) => {
    const stranger = unrunnable(executor);
    return stranger === null ? [] : [`\`executor\` is ${stranger}`];
  },
  maxRetries: wholeNumber(0),
  name: stepName,
  onError: errorPolicy,
  numHistoryRuns: historyRuns,
  timeout: duration,
  addWorkflowHistory: flag,
  humanReview: reviewOf("step"),
  retry: withMethods("a retry policy, such as `retryPolicy({ … })`", "next"),
};

/** Describes a value that cannot run, for "… is …"; `null` when it can. */
export function unrunnable(given: unknown): string | null {
  if (typeof given === "function")
    return given.prototype instanceof Workflow ? `the class ${given.name}, not an instance of it` : null;
  if (typeof given === "object" && given !== null && ("execute" in given || "run" in given)) return null;
  return `${describe(given)}, not a function, an agent, a team, a pipeline or a workflow`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name !== "string" || name === "Object" ? "an object" : `an instance of ${name}`;
}
