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
