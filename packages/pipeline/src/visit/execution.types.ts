import type { ExecutorPause } from "../data/executor.types.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepNode } from "../nodes/node.types.js";
import type { Talk } from "../state/pipeline-state.types.js";
import type { StepTools } from "./visit.types.js";

export interface Execution extends StepTools {
  readonly node: StepNode;
  readonly input: StepInput;
  /** What people have said, also to an executor that has paused. */
  readonly talk: Readonly<Talk>;
}

export type Executed =
  | { readonly status: "done"; readonly output: StepOutput }
  | { readonly status: "paused"; readonly pause: ExecutorPause; readonly paused: StepExecutionData }
  | { readonly status: "cancelled"; readonly why: string };
