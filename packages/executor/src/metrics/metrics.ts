/** Sums and differences of the usage of models. */
import type { ModelMetricsData, StepMetricsData } from "./metrics.types.js";

/** Zeros. */
export const emptyMetrics: StepMetricsData = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  duration: 0,
});

/** Adds tokens, cost and durations; of the times to the first token the smaller one is kept. */
export function addMetrics(first: StepMetricsData, second: StepMetricsData): StepMetricsData {
  const sums = {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    totalTokens: first.totalTokens + second.totalTokens,
    duration: first.duration + second.duration,
  };
  if (!hasMore(first) && !hasMore(second)) return sums;
  return {
    ...sums,
    ...addOptional(optionalTokens, first, second),
    ...merged("timeToFirstToken", Math.min, [first.timeToFirstToken, second.timeToFirstToken]),
    ...merged("details", addDetails, [first.details, second.details]),
    ...merged("additionalMetrics", addExtras, [first.additionalMetrics, second.additionalMetrics]),
  };
}

/** Those of functions have the usual fields alone. */
function hasMore(metrics: StepMetricsData): boolean {
  for (const key in metrics) if (!(key in emptyMetrics)) return true;
  return false;
}

/**
 * Metrics as executors and functions report them. They may report anything: one wrong number would spoil the sums of its run and
 * session. What is no number counts as 0, or as it was measured.
 */
export function givenMetrics(given: unknown, measured: StepMetricsData): StepMetricsData {
  if (!isRecord(given)) return measured;
  const { inputTokens = 0, outputTokens = 0, ...numbers }: Partial<StepMetricsData> = numbersOf(given, stepNumbers);
  const { details, additionalMetrics } = given;
  return {
    ...measured,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...numbers,
    ...(isRecord(details) && { details: givenDetails(details) }),
    ...(isRecord(additionalMetrics) && { additionalMetrics }),
  };
}

function numbersOf(
  given: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, number>> {
  const known = keys.map((key) => [key, given[key]] as const);
  return Object.fromEntries(known.filter((entry): entry is [string, number] => Number.isFinite(entry[1])));
}

function givenDetails(details: Readonly<Record<string, unknown>>): Details {
  const roles = Object.entries(details).map(([role, models]) => {
    const used = (Array.isArray(models) ? models : []).filter(isRecord);
    return [role, used.map(givenModel)];
  });
  return Object.fromEntries(roles);
}

function givenModel(model: Readonly<Record<string, unknown>>): ModelMetricsData {
  const counts: readonly string[] = modelNumbers;
  const right = Object.entries(model).filter(([key, value]) => !counts.includes(key) || Number.isFinite(value));
  return Object.fromEntries(right) as unknown as ModelMetricsData;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Difference between `now` and the earlier metrics `before` of the same run. */
export function metricsSince(before: StepMetricsData, now: StepMetricsData): StepMetricsData {
  const { timeToFirstToken: _first, additionalMetrics: _more, details = {}, ...counts } = before;
  const models = Object.entries(details).map(([role, used]) => [role, used.map(negative)]);
  return addMetrics(now, { ...negative(counts), details: Object.fromEntries(models) });
}

function negative<Counts extends object>(counts: Counts): Counts {
  const entries = Object.entries(counts).map(([key, value]) => [key, typeof value === "number" ? -value : value]);
  return Object.fromEntries(entries) as Counts;
}

/** Sum of all metrics; `null` when there are none, or only zeros. */
export function sumMetrics(all: readonly (StepMetricsData | null)[]): StepMetricsData | null {
  const counted = all.filter((metrics) => metrics !== null && !isZero(metrics)) as StepMetricsData[];
  return counted.length === 0 ? null : counted.reduce(addMetrics);
}

function isZero(metrics: StepMetricsData): boolean {
  return Object.values(metrics).every((value) => value === 0 || value === undefined);
}

const optionalTokens = [
  "audioInputTokens",
  "audioOutputTokens",
  "audioTotalTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "cost",
] as const;
const modelNumbers = ["inputTokens", "outputTokens", "totalTokens", ...optionalTokens] as const;

const stepNumbers = ["inputTokens", "outputTokens", "totalTokens", "duration", "timeToFirstToken", ...optionalTokens];

type Numbers = { readonly [Key in (typeof modelNumbers)[number]]?: number };

/** Adds the optional numbers that at least one side has. */
function addOptional(keys: readonly (keyof Numbers)[], first: Numbers, second: Numbers): Numbers {
  const sums: { -readonly [Key in keyof Numbers]: Numbers[Key] } = {};
  for (const key of keys) {
    const [one, other] = [first[key], second[key]];
    if (one !== undefined || other !== undefined) sums[key] = (one ?? 0) + (other ?? 0);
  }
  return sums;
}

/** Merges one field of both sides; without it on one side, takes the other. */
function merged<Key extends string, Value>(
  key: Key,
  merge: (first: Value, second: Value) => Value,
  [first, second]: readonly [Value | undefined, Value | undefined],
): { readonly [Name in Key]?: Value } {
  if (first === undefined && second === undefined) return {};
  const value = first === undefined ? second : second === undefined ? first : merge(first, second);
  return { [key]: value } as { readonly [Name in Key]?: Value };
}

type Details = NonNullable<StepMetricsData["details"]>;

function addDetails(first: Details, second: Details): Details {
  const roles = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...roles].map((role) => [role, addModels([...(first[role] ?? []), ...(second[role] ?? [])])]),
  );
}

/** Adds entries with equal provider and id. */
function addModels(models: readonly ModelMetricsData[]): readonly ModelMetricsData[] {
  const byModel = new Map<string, ModelMetricsData>();
  for (const model of models) {
    const key = JSON.stringify([model.provider, model.id]);
    const before = byModel.get(key);
    byModel.set(key, before ? { ...before, ...addOptional(modelNumbers, before, model) } : model);
  }
  return [...byModel.values()];
}

type Extras = NonNullable<StepMetricsData["additionalMetrics"]>;

function addExtras(first: Extras, second: Extras): Extras {
  const sums = Object.entries(second).map(([key, value]) => {
    const before = Object.hasOwn(first, key) ? first[key] : undefined;
    return [key, typeof before === "number" && typeof value === "number" ? before + value : value];
  });
  return { ...first, ...Object.fromEntries(sums) };
}
