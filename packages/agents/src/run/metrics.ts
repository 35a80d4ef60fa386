import { emptyMetrics, type ModelMetricsData, type StepMetricsData } from "@millrace/executor";
import type { LanguageModelUsage, StepResult, ToolSet } from "ai";

type Tokens = Omit<ModelMetricsData, "id" | "provider">;

/** Metrics of one model call, without the duration, which the caller adds. */
export function callMetrics(step: StepResult<ToolSet>): StepMetricsData {
  const tokens = tokensOf(step.usage);
  const { provider, modelId } = step.model;
  return {
    ...emptyMetrics,
    ...tokens,
    ...(step.performance.timeToFirstOutputMs === undefined
      ? {}
      : { timeToFirstToken: step.performance.timeToFirstOutputMs / 1000 }),
    details: { model: [{ id: modelId, provider, ...tokens }] },
  };
}

function tokensOf(usage: LanguageModelUsage): Tokens {
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  const tokens = {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    cacheReadTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
  };
  return Object.fromEntries(Object.entries(tokens).filter(([, count]) => count !== 0));
}
