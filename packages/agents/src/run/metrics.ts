import type { LanguageModelUsage, StepResult, ToolSet } from "ai";
import type { ModelMetricsData, StepMetricsData } from "../metrics.types.js";

export const noMetrics: StepMetricsData = { inputTokens: 0, outputTokens: 0, totalTokens: 0, duration: 0 };

const tokenFields = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

type Tokens = { readonly [Field in (typeof tokenFields)[number]]?: number };

/** What one call of a model took; the duration is the caller's to add. */
export function callMetrics(step: StepResult<ToolSet>): StepMetricsData {
  const tokens = tokensOf(step.usage);
  const { provider, modelId } = step.model;
  return {
    ...noMetrics,
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
  return withoutZeros({
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    cacheReadTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
  });
}

/** Tokens and durations add up; of times to the first token the smallest stays. */
export function sumMetrics(all: readonly StepMetricsData[]): StepMetricsData {
  const firstTokens = all.flatMap(({ timeToFirstToken }) => timeToFirstToken ?? []);
  const models = all.flatMap(({ details }) => details?.["model"] ?? []);
  return {
    ...noMetrics,
    ...addTokens(all),
    duration: all.reduce((sum, { duration }) => sum + duration, 0),
    ...(firstTokens.length > 0 ? { timeToFirstToken: Math.min(...firstTokens) } : {}),
    ...(models.length > 0 ? { details: { model: sumModels(models) } } : {}),
  };
}

function sumModels(models: readonly ModelMetricsData[]): ModelMetricsData[] {
  return [...groupModels(models).values()].map((group) => ({
    id: group[0]?.id ?? "",
    provider: group[0]?.provider ?? "",
    ...addTokens(group),
  }));
}

function groupModels(models: readonly ModelMetricsData[]): Map<string, ModelMetricsData[]> {
  const groups = new Map<string, ModelMetricsData[]>();
  for (const model of models) {
    const key = JSON.stringify([model.provider, model.id]);
    groups.set(key, [...(groups.get(key) ?? []), model]);
  }
  return groups;
}

function addTokens(all: readonly Tokens[]): Tokens {
  const sums = tokenFields.map((field) => [field, all.reduce((sum, tokens) => sum + (tokens[field] ?? 0), 0)]);
  return withoutZeros(Object.fromEntries(sums));
}

function withoutZeros(tokens: Tokens): Tokens {
  return Object.fromEntries(Object.entries(tokens).filter(([, count]) => count !== 0));
}
