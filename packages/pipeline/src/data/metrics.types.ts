import type { StepMetricsData } from "@millrace/executor";

export type ExecutorType = "agent" | "team" | "function" | "workflow";

/** One attempt of one step. */
export interface StepExecutionData {
  readonly stepName: string;
  readonly executorType: ExecutorType;
  readonly executorName: string | null;
  readonly metrics: StepMetricsData;
  readonly success: boolean;
  /** When the attempt ended, in epoch milliseconds. */
  readonly endedAtMs?: number;
  /** Executions inside of a nested pipeline, whose sum is `metrics`; otherwise empty. */
  readonly steps: readonly StepExecutionData[];
}

/** All executions of the steps with one name. */
export interface StepMetrics {
  readonly stepName: string;
  /** Executor type of the last execution. */
  readonly executorType: ExecutorType;
  readonly executorName: string | null;
  /** Sum of all executions, including failed attempts and all iterations of loops. */
  readonly metrics: StepMetricsData;
  /** The executions, in the order in which they ended. */
  readonly executions: readonly StepExecutionData[];
  /** Steps of a nested pipeline, which `metrics` includes. */
  readonly steps?: Readonly<Record<string, StepMetrics>>;
}

/** Metrics of a run. */
export interface RunMetricsData {
  /** Seconds from the start to the end of the run. */
  readonly duration: number;
  /** Metrics by name of the step. */
  readonly steps: Readonly<Record<string, StepMetrics>>;
}

/** Metrics of all agents and teams in all runs of a session; `duration` is their time alone. */
export type SessionMetricsData = StepMetricsData;
