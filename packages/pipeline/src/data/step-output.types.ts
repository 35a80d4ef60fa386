import type { MediaSet } from "./media.types.js";
import type { ExecutorType, StepMetricsData } from "./metrics.types.js";

export type StepType = "Function" | "Step" | "Steps" | "Loop" | "Parallel" | "Condition" | "Router" | "Workflow";

/** What a step, or a group of steps, has produced. Plain data, stored with the run. */
export interface StepOutput extends MediaSet {
  readonly stepName: string;
  readonly stepId: string;
  readonly stepType: StepType;
  /** `null` for a group of steps. */
  readonly executorType: ExecutorType | null;
  readonly executorName: string | null;
  /** Text or structured data; of a group of steps, a sentence about it. */
  readonly content: unknown;
  /** The run of the agent, team or nested pipeline that was called. */
  readonly stepRunId: string | null;
  readonly metrics: StepMetricsData | null;
  readonly success: boolean;
  /** Of a step that has run: when that was over. Epoch milliseconds. */
  readonly endedAtMs?: number;
  readonly error: string | null;
  /** The pipeline ends after this output. */
  readonly stop: boolean;
  /** The innermost loop around it ends after this output. */
  readonly breakLoop: boolean;
  /** A branch that ran nothing, a step that was skipped: not "previous" for anybody. */
  readonly skipped: boolean;
  /** The outputs inside a group, in order. Of a Parallel: in the order of declaration. */
  readonly steps: readonly StepOutput[];
  /** Loop: outputs per iteration. */
  readonly iterations: readonly (readonly StepOutput[])[] | null;
}
