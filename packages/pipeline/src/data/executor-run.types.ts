import type { ExecutorType, StepMetricsData } from "./metrics.types.js";

/** One run of an agent, a team or a nested pipeline in a step. Plain data. */
export interface ExecutorRun {
  readonly runId: string;
  /** The run of the pipeline. */
  readonly parentRunId: string;
  readonly stepId: string;
  readonly stepName: string;
  readonly executorType: ExecutorType;
  readonly executorName: string;
  readonly status: string;
  readonly content: unknown;
  readonly metrics: StepMetricsData | null;
  /** Of an agent or a team: what was said, as the executor tells it. */
  readonly messages: readonly unknown[];
  /** Of an agent or a team: the calls of tools. */
  readonly tools: readonly unknown[];
  /** Of a team: what its members did. */
  readonly memberRuns: readonly unknown[];
}
