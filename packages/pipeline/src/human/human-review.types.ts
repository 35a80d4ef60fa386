import type { Duration } from "millrace";
import type { StepOutput } from "../data/step-output.types.js";

/** What a refusal does: go on behind it, end the run, do it again, or take the other branch of a condition. */
export type OnReject = "skip" | "cancel" | "retry" | "else";

/** What no answer in time does: end the run, count as a refusal that skips, or as consent. */
export type OnTimeout = "cancel" | "skip" | "approve";

/**
 * What people are asked about a step or a group of steps, at any depth. The run is `PAUSED` when there is nothing else to do, and
 * goes on with their answers, in this process or another one.
 */
export interface HumanReview {
  /** Somebody has to agree before it runs. Every step and group takes it. @default false */
  readonly requiresConfirmation?: boolean;
  readonly confirmationMessage?: string;
  /** Step: somebody fills in `userInputSchema` before it runs. Router: somebody picks among its choices. @default false */
  readonly requiresUserInput?: boolean;
  readonly userInputMessage?: string;
  /** Step: what is asked for. */
  readonly userInputSchema?: readonly UserInputField[];
  /** Router: more than one choice may be picked; they run in the order in which they are named. @default false */
  readonly allowMultipleSelections?: boolean;
  /** Step and Router: somebody looks at what it gave before it counts; a function says whether for this output. @default false */
  readonly requiresOutputReview?: boolean | ((output: StepOutput) => boolean);
  readonly outputReviewMessage?: string;
  /** Loop: somebody looks at each iteration but the last one that there may be. Agreeing ends the loop. @default false */
  readonly requiresIterationReview?: boolean;
  readonly iterationReviewMessage?: string;
  /** @default "skip", for a Condition "else" */
  readonly onReject?: OnReject;
  /** How often a refused output may be made again. @default 3 */
  readonly maxRetries?: number;
  /** How long an answer may take. @default for ever */
  readonly timeout?: Duration;
  /** @default "cancel" */
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
