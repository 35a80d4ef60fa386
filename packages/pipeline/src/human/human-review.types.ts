import type { Duration } from "millrace";
import type { StepOutput } from "../data/step-output.types.js";

/**
 * Effect of a rejection: continue after the step, end the run, run the step again, or take the other branch of a
 * condition.
 */
export type OnReject = "skip" | "cancel" | "retry" | "else";

/** Effect of a missing answer: end the run, count as a rejection that skips, or as approval. */
export type OnTimeout = "cancel" | "skip" | "approve";

/**
 * Questions to people about a step or a group of steps, at any depth. The run is `PAUSED` when it has nothing left to
 * do, and continues with the answers, in this process or another one.
 */
export interface HumanReview {
  /** A person has to approve before it runs. Available for every step and group. @default false */
  readonly requiresConfirmation?: boolean;
  readonly confirmationMessage?: string;
  /**
   * Step: a person fills in `userInputSchema` before it runs. Router: a person selects among its choices.
   * @default false
   */
  readonly requiresUserInput?: boolean;
  readonly userInputMessage?: string;
  /** Step: the fields to fill in. */
  readonly userInputSchema?: readonly UserInputField[];
  /** Router: several choices may be selected; they run in the order in which they are named. @default false */
  readonly allowMultipleSelections?: boolean;
  /** Step and Router: a person reviews the output before it counts. A function decides for each output. @default false */
  readonly requiresOutputReview?: boolean | ((output: StepOutput) => boolean);
  readonly outputReviewMessage?: string;
  /** Loop: a person reviews each iteration except the last possible one. Approval ends the loop. @default false */
  readonly requiresIterationReview?: boolean;
  readonly iterationReviewMessage?: string;
  /** Effect of a rejection. @default "skip", for a Condition "else" */
  readonly onReject?: OnReject;
  /** How often a rejected output is made again. @default 3 */
  readonly maxRetries?: number;
  /** Time for an answer. @default no limit */
  readonly timeout?: Duration;
  /** Effect of a missing answer. @default "cancel" */
  readonly onTimeout?: OnTimeout;
}

/** A field that a person fills in. */
export interface UserInputField {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly description?: string;
  /** @default true */
  readonly required?: boolean;
  readonly allowedValues?: readonly unknown[];
}
