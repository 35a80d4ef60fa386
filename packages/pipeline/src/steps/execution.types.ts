import type { StepExecutionData } from "../data/metrics.types.js";
import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { RequirementData } from "../human/requirement.types.js";
import type { StepNode } from "../nodes/node.types.js";
import type { Review } from "../state/pipeline-state.types.js";
import type { StepTools } from "./visit.types.js";

export interface Execution extends StepTools {
  readonly node: StepNode;
  readonly input: StepInput;
  /** Answers of people to the step. */
  readonly review: Readonly<Review>;
}

export type Executed =
  | { readonly status: "done"; readonly output: StepOutput }
  | { readonly status: "unanswered"; readonly question: RequirementData; readonly usage: StepExecutionData }
  | { readonly status: "cancelled"; readonly why: string };
