export type ExecutorType = "agent" | "team" | "function" | "workflow";

/** Details that only some models and providers report. */
export interface UsageDetails {
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  readonly audioTotalTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** Cost in the currency of the executor's price list. */
  readonly cost?: number;
}

/** Usage of one model; an entry of {@link StepMetricsData.details}. */
export interface ModelMetricsData extends UsageDetails {
  /** Id of the model: `"gpt-5-mini"`. */
  readonly id: string;
  readonly provider: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

/** Metrics of executing a step. Tokens are 0 without a model call. */
export interface StepMetricsData extends UsageDetails {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Duration in seconds. */
  readonly duration: number;
  /** Seconds from the call to the first token; in a sum, the smallest value. */
  readonly timeToFirstToken?: number;
  /** Usage by the role of the model in its executor (`"model"`, `"outputModel"`); one entry per provider and id. */
  readonly details?: Readonly<Record<string, readonly ModelMetricsData[]>>;
  /** Metrics that the executor adds. In a sum, numbers are added; of other values the last one is kept. */
  readonly additionalMetrics?: Readonly<Record<string, unknown>>;
}

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
