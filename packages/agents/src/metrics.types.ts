/** What one model used. */
export interface ModelMetricsData {
  /** The model's id, as in `"gpt-5-mini"`. */
  readonly id: string;
  readonly provider: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** What a run took. The same shape as in `@millrace/pipeline`. */
export interface StepMetricsData {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Seconds. */
  readonly duration: number;
  /** Seconds from the call to the first token. Known only where the model streamed. */
  readonly timeToFirstToken?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** `model`: one entry per provider and model id. */
  readonly details?: Readonly<Record<string, readonly ModelMetricsData[]>>;
}
