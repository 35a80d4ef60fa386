import type { MediaSet, StepMetricsData } from "@millrace/executor";
import type { ExecutorType, StepExecutionData } from "./metrics.types.js";

export type StepType = "Function" | "Step" | "Steps" | "Loop" | "Parallel" | "Condition" | "Router" | "Workflow";

/** The result of a step or a group of steps. Plain data, stored with the run. */
export interface StepOutput extends MediaSet {
  readonly stepName: string;
  readonly stepId: string;
  readonly stepType: StepType;
  /** `null` for a group of steps. */
  readonly executorType: ExecutorType | null;
  readonly executorName: string | null;
  /** Text or structured data; for a group of steps, a sentence about it. */
  readonly content: unknown;
  /** Id of the run of the agent, team or nested pipeline that the step called. */
  readonly stepRunId: string | null;
  readonly metrics: StepMetricsData | null;
  readonly success: boolean;
  /** When a step that has run ended, in epoch milliseconds. */
  readonly endedAtMs?: number;
  readonly error: string | null;
  /** `true`: the pipeline ends after this output. */
  readonly stop: boolean;
  /** `true`: the innermost enclosing loop ends after this output. */
  readonly breakLoop: boolean;
  /** `true` for a skipped step, or a branch in which nothing ran. Later steps do not see it as the previous one. */
  readonly skipped: boolean;
  /** Outputs inside of a group, in order; for a Parallel, in the order of declaration. */
  readonly steps: readonly StepOutput[];
  /**
   * Of a nested pipeline that has executions without an output in `steps` (failed attempts, refused outputs): all executions
   * inside. Absent where `steps` has all of them.
   */
  readonly executions?: readonly StepExecutionData[];
  /** Outputs of a Loop, by iteration. */
  readonly iterations: readonly (readonly StepOutput[])[] | null;
}
