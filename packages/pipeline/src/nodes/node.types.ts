/**
 * A pipeline as an immutable tree, normalised from its options once.
 *
 * @module
 */
import type { Duration, RetryPolicy } from "millrace";
import type { ExecutorType } from "../data/metrics.types.js";
import type { HumanReview } from "../human/human-review.types.js";
import type { EndCondition, Evaluator, MergeStates, Selector } from "./containers.js";
import type { ErrorPolicy, StepExecutor } from "./step.js";

export type PipelineNode = StepNode | StepsNode | LoopNode | ParallelNode | ConditionNode | RouterNode;
export type ContainerNode = Exclude<PipelineNode, StepNode>;

interface NodeBase {
  /** Positions from the root, as text: `"0.2.1"`. Equal in every process. */
  readonly id: string;
  readonly path: readonly number[];
  readonly name: string;
  readonly description: string | null;
  readonly onError: ErrorPolicy;
  readonly human: HumanReview | null;
}

export interface StepNode extends NodeBase {
  readonly kind: "step";
  readonly executorType: ExecutorType;
  readonly executorName: string;
  readonly executor: StepExecutor;
  readonly retry: RetryPolicy | null;
  readonly timeout: Duration | null;
  readonly addHistory: boolean | null;
  readonly numHistoryRuns: number | null;
}

export interface StepsNode extends NodeBase {
  readonly kind: "steps";
  readonly children: readonly PipelineNode[];
}

export interface LoopNode extends NodeBase {
  readonly kind: "loop";
  readonly children: readonly PipelineNode[];
  readonly maxIterations: number;
  readonly endCondition: EndCondition | null;
  readonly forwards: boolean;
}

export interface ParallelNode extends NodeBase {
  readonly kind: "parallel";
  readonly children: readonly PipelineNode[];
  readonly state: "shared" | "isolated";
  /** `null`: the branches are merged one after the other. */
  readonly merge: MergeStates | null;
}

/** `children` has both branches: the first `ifCount` run when the condition holds. */
export interface ConditionNode extends NodeBase {
  readonly kind: "condition";
  readonly children: readonly PipelineNode[];
  readonly ifCount: number;
  readonly evaluator: Evaluator;
}

export interface RouterNode extends NodeBase {
  readonly kind: "router";
  readonly children: readonly PipelineNode[];
  /** The values from which the children were made: a selector may return one of them. */
  readonly givenAs: readonly unknown[];
  /** `null` when people select. */
  readonly selector: Selector | null;
}
