/**
 * A question of a run to people and its answer, as plain data: the content of prompts and of the events that answer
 * them.
 *
 * @module
 */

import type { ToolAnswer, ToolRequirement } from "@millrace/executor";
import type { StepOutput, StepType } from "../data/step-output.types.js";
import type { OnReject, OnTimeout, UserInputField } from "./human-review.types.js";

export type RequirementKind =
  /** May the step or group run? */
  | "confirmation"
  /** Fields to fill in before the step runs. */
  | "userInput"
  /** Which choices of a router shall run? */
  | "route"
  /** Is the output accepted? */
  | "outputReview"
  /** Is this iteration good enough to leave the loop? */
  | "iterationReview"
  /** May the agent or team call these tools? */
  | "executor"
  /** The step has failed: run it again, or continue without it? */
  | "error";

export interface RequirementData {
  readonly kind: RequirementKind;
  readonly stepId: string;
  readonly stepName: string;
  /** Positions from the root of the pipeline. */
  readonly stepIndex: readonly number[];
  readonly stepType: StepType;
  readonly message: string;
  /** For `userInput`: the fields to fill in. */
  readonly fields: readonly UserInputField[];
  /** For `route`: names of the choices. */
  readonly choices: readonly string[];
  readonly allowMultipleSelections: boolean;
  /** For `outputReview` and `iterationReview`: the output. For `error`: what was done in the failed group. */
  readonly output: StepOutput | null;
  /** For `executor`: the waiting tool calls. */
  readonly tools: readonly ToolRequirement[];
  /** For `error`: the message. */
  readonly error: string | null;
  /** How often the output was made again after a rejection. */
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly onReject: OnReject;
  readonly askedAtMs: number;
  /** When the time for an answer ends, in epoch milliseconds; `null` without a limit. */
  readonly timeoutAtMs: number | null;
  readonly onTimeout: OnTimeout;
}

/** The answer of a person. */
export type HumanDecision =
  | {
      readonly decision: "confirm";
      /** For `userInput`: values of the fields. */
      readonly values?: Readonly<Record<string, unknown>>;
      /** For `route`: the choices, in the order in which they run. */
      readonly choices?: readonly string[];
      /** For `outputReview`: content that replaces the output's. */
      readonly output?: unknown;
      /** For `executor`: one answer for each tool call. */
      readonly tools?: readonly ToolAnswer[];
    }
  | { readonly decision: "reject"; readonly feedback?: string }
  /** For `error`: runs the step again. */
  | { readonly decision: "retry" }
  | { readonly decision: "skip" };

/** A question with its answer. */
export interface AnsweredRequirement {
  readonly kind: RequirementKind;
  readonly stepId: string;
  readonly stepName: string;
  readonly message: string;
  /** `"timeout"` if no answer came in time. */
  readonly decision: HumanDecision["decision"] | "timeout";
  readonly feedback: string | null;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}
