import { emptyMetrics, type ModelMetricsData, type StepMetricsData } from "@millrace/executor";
import type { LanguageModelUsage, StepResult, ToolSet } from "ai";
import type { ModelPrices } from "../settings/record.types.js";

type Tokens = Omit<ModelMetricsData, "id" | "provider">;

/** Metrics of one model call, without the duration, which the caller adds. */
export function callMetrics(step: StepResult<ToolSet>, prices?: ModelPrices): StepMetricsData {
  const tokens = { ...tokensOf(step.usage), ...costOf(step, prices) };
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

/** Nothing where no price is known. */
function costOf({ model, usage }: StepResult<ToolSet>, prices: ModelPrices = {}): Pick<Tokens, "cost"> {
  const price = prices[`${model.provider}/${model.modelId}`] ?? prices[model.modelId];
  if (price === undefined) return {};
  const cached = usage.inputTokenDetails.cacheReadTokens ?? 0;
  const fresh = Math.max(0, (usage.inputTokens ?? 0) - cached);
  const { input, output, cacheRead = input } = price;
  return { cost: (fresh * input + cached * cacheRead + (usage.outputTokens ?? 0) * output) / 1_000_000 };
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
