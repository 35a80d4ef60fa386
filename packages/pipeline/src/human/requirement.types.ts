/**
 * A question that a run asks people, and the answer, as plain data: what prompts carry and what is posted back.
 *
 * @module
 */
import type { StepOutput, StepType } from "../data/step-output.types.js";
import type { ToolAnswer, ToolRequirement } from "../nodes/executor.types.js";
import type { OnReject, OnTimeout, UserInputField } from "./human-review.types.js";

export type RequirementKind =
  /** May it run? */
  | "confirmation"
  /** Fields to fill in before it runs. */
  | "userInput"
  /** Which choices of a router? */
  | "route"
  /** Does its output count? */
  | "outputReview"
  /** Is this iteration good enough to leave the loop? */
  | "iterationReview"
  /** May the agent or team call these tools? */
  | "executor"
  /** It has failed: again, or without it? */
  | "error";

export interface RequirementData {
  readonly kind: RequirementKind;
  readonly stepId: string;
  readonly stepName: string;
  /** Positions from the root of the pipeline. */
  readonly stepIndex: readonly number[];
  readonly stepType: StepType;
  readonly message: string;
  /** `userInput` */
  readonly fields: readonly UserInputField[];
  /** `route`: names. */
  readonly choices: readonly string[];
  readonly allowMultipleSelections: boolean;
  /** `outputReview`, `iterationReview`; `error`: what was done in the group that has failed. */
  readonly output: StepOutput | null;
  /** `executor` */
  readonly tools: readonly ToolRequirement[];
  /** `error` */
  readonly error: string | null;
  /** How often it was made again because of a refusal. */
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly onReject: OnReject;
  readonly askedAtMs: number;
  /** Epoch milliseconds; null: it may take as long as it takes. */
  readonly timeoutAtMs: number | null;
  readonly onTimeout: OnTimeout;
}

/** An answer. */
export type HumanDecision =
  | {
      readonly decision: "confirm";
      /** `userInput`: the fields. */
      readonly values?: Readonly<Record<string, unknown>>;
      /** `route`: the choices, in the order in which they run. */
      readonly choices?: readonly string[];
      /** `outputReview`: content that counts instead. */
      readonly output?: unknown;
      /** `executor`: one for each tool call. */
      readonly tools?: readonly ToolAnswer[];
    }
  | { readonly decision: "reject"; readonly feedback?: string }
  /** `error` */
  | { readonly decision: "retry" }
  | { readonly decision: "skip" };

/** A question that was answered, for the record. */
export interface AnsweredRequirement {
  readonly kind: RequirementKind;
  readonly stepId: string;
  readonly stepName: string;
  readonly message: string;
  /** `"timeout"`: nobody has answered in time. */
  readonly decision: HumanDecision["decision"] | "timeout";
  readonly feedback: string | null;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}
