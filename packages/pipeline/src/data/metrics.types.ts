export type ExecutorType = "agent" | "team" | "function" | "workflow";

/** What one model used. The entry of {@link StepMetricsData.details}. */
export interface ModelMetricsData {
  /** The model's id, as in `"gpt-5-mini"`. */
  readonly id: string;
  readonly provider: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  readonly audioTotalTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly cost?: number;
}

/** What executing a step took. Tokens are 0 where no model was called. */
export interface StepMetricsData {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Seconds. */
  readonly duration: number;
  /** Seconds from the call to the first token. The smallest of all calls that are added. */
  readonly timeToFirstToken?: number;
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  readonly audioTotalTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** In the currency of the executor's price list. */
  readonly cost?: number;
  /** By the role of the model in its executor (`"model"`, `"outputModel"`); one entry per provider and id. */
  readonly details?: Readonly<Record<string, readonly ModelMetricsData[]>>;
  /** What an executor adds of its own. Numbers add up, of other values the last one stays. */
  readonly additionalMetrics?: Readonly<Record<string, unknown>>;
}

/** One attempt of one step. */
export interface StepExecutionData {
  readonly stepName: string;
  readonly executorType: ExecutorType;
  readonly executorName: string | null;
  readonly metrics: StepMetricsData;
  readonly success: boolean;
  /** Epoch milliseconds. */
  readonly endedAtMs?: number;
  /** Of a nested pipeline: the executions inside, whose sum is in `metrics`. Else empty. */
  readonly steps: readonly StepExecutionData[];
}

/** All executions of the steps of one name. */
export interface StepMetrics {
  readonly stepName: string;
  /** Of the last execution. */
  readonly executorType: ExecutorType;
  readonly executorName: string | null;
  /** The sum of all executions, failed attempts and iterations of loops included. */
  readonly metrics: StepMetricsData;
  /** In the order in which they ended. */
  readonly executions: readonly StepExecutionData[];
  /** Of a nested pipeline: its steps, which `metrics` includes. */
  readonly steps?: Readonly<Record<string, StepMetrics>>;
}

/** What a run took. */
export interface RunMetricsData {
  /** Seconds from the start of the run to its end, all of it. */
  readonly duration: number;
  /** By the name of the step. */
  readonly steps: Readonly<Record<string, StepMetrics>>;
}

/** What the agents and teams of all runs of a session took; `duration` is their time alone. */
export type SessionMetricsData = StepMetricsData;
