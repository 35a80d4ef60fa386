import type { StepMetricsData } from "@millrace/executor";
import type { ExecutorType } from "./metrics.types.js";

/** One run of an agent, a team or a nested pipeline in a step. Plain data. */
export interface ExecutorRun {
  readonly runId: string;
  /** Id of the pipeline's run. */
  readonly parentRunId: string;
  readonly stepId: string;
  readonly stepName: string;
  readonly executorType: ExecutorType;
  readonly executorName: string;
  readonly status: string;
  readonly content: unknown;
  readonly metrics: StepMetricsData | null;
  /** Messages of an agent or a team, in the form of the executor. */
  readonly messages: readonly unknown[];
  /** Tool calls of an agent or a team. */
  readonly tools: readonly unknown[];
  /** Runs of a team's members. */
  readonly memberRuns: readonly unknown[];
}
