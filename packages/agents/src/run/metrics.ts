import { emptyMetrics, type ModelMetricsData, type StepMetricsData } from "@millrace/executor";
import type { LanguageModelUsage, StepResult, ToolSet } from "ai";
import type { ModelPrice, ModelPrices } from "../settings/record.types.js";

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

/** The price of a model; `undefined` where none is known. */
export function priceOf(
  { provider, modelId }: { readonly provider: string; readonly modelId: string },
  prices: ModelPrices = {},
): ModelPrice | undefined {
  return prices[`${provider}/${modelId}`] ?? prices[modelId];
}

/** Nothing where no price is known. */
function costOf({ model, usage }: StepResult<ToolSet>, prices?: ModelPrices): Pick<Tokens, "cost"> {
  const price = priceOf(model, prices);
  if (price === undefined) return {};
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = usage;
  return {
    cost: costAt(price, { input: inputTokens, cached: inputTokenDetails.cacheReadTokens, output: outputTokens }),
  };
}

interface PricedTokens {
  readonly input: number;
  /** Of `input`. @default 0 */
  readonly cached?: number | undefined;
  readonly output: number;
}

/** In US dollars. */
export function costAt(price: ModelPrice, { input, cached = 0, output }: PricedTokens): number {
  const { cacheRead = price.input } = price;
  return (Math.max(0, input - cached) * price.input + cached * cacheRead + output * price.output) / 1_000_000;
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
