/**
 * Model calls with a budget: what one may cost is reserved before it is made, and what it has used is spent.
 *
 * @module
 */
import type { LanguageModel } from "ai";
import type { Context, EffectCall } from "millrace";
import { budgetPort, type Cost } from "millrace/engine";
import { costAt, priceOf } from "../run/metrics.js";
import { invalid } from "../settings/check-options.js";
import type { ModelPrice, ModelPrices } from "../settings/record.types.js";

/** What an answer is taken to have, where its request sets no limit. */
const LONGEST_ANSWER = 4_096;
/** What an image or a file is taken to have. */
const TOKENS_OF_FILE = 1_500;
/** Characters of English text and of JSON. */
const CHARACTERS_OF_TOKEN = 4;

export interface Used {
  /** 0 for a provider that does not say it. */
  readonly input: number;
  readonly cached?: number | undefined;
  readonly output: number;
}

export interface PaidModelCall<Answer> {
  readonly ctx: Context;
  readonly call: Pick<EffectCall, "signal">;
  readonly model: LanguageModel;
  readonly prices: ModelPrices | undefined;
  /** Everything that the model reads, and the limit of its answer. */
  readonly request: { readonly reads: unknown; readonly maxOutputTokens?: number | undefined };
  /** @param used Says what the model has used, also if the call then fails. */
  readonly ask: (used: (tokens: Used) => void) => Promise<Answer>;
}

/** @throws {WorkflowError} `BUDGET_EXCEEDED`, `OPTION_INVALID` for a budget in dollars and a model without a price; what `ask` throws. */
export async function paid<Answer>(asking: PaidModelCall<Answer>): Promise<Answer> {
  const { ctx, call, ask } = asking;
  const budget = budgetPort(ctx);
  if (budget === null) return ask(() => {});
  const price = priceFor(asking, budget.units.has("usd"));
  const expected = expectedOf(asking.request);
  return budget.spend({
    cost: costFor(price, expected),
    signal: call.signal,
    work: (spent) => ask((used) => spent(costFor(price, used.input + used.output === 0 ? expected : used))),
  });
}

function costFor(price: ModelPrice | undefined, used: Used): Cost {
  return { tokens: used.input + used.output, usd: price === undefined ? 0 : costAt(price, used), calls: 1 };
}

function priceFor({ model, prices }: PaidModelCall<unknown>, isNeeded: boolean): ModelPrice | undefined {
  const named = typeof model === "string" ? { provider: "gateway", modelId: model } : model;
  const price = priceOf(named, prices);
  if (price === undefined && isNeeded) {
    const name = typeof model === "string" ? model : `${model.provider}/${model.modelId}`;
    const problem = `The budget is in US dollars, and the model "${name}" has no price.`;
    const error = invalid(
      problem,
      `Set it with \`prices: { "${named.modelId}": { input, output } }\`, for a million tokens.`,
    );
    error.retryable = false;
    throw error;
  }
  return price;
}

/** At most, for most texts: one token for each four characters of English, and for each other character. */
function expectedOf({ reads, maxOutputTokens = LONGEST_ANSWER }: PaidModelCall<unknown>["request"]): Used {
  let files = 0;
  const withoutFiles = (_name: string, value: unknown): unknown => (isFile(value) ? void files++ : value);
  const text = JSON.stringify(reads, withoutFiles) ?? "";
  const others = text.match(/[^ -~]/g)?.length ?? 0;
  const input = Math.ceil((text.length - others) / CHARACTERS_OF_TOKEN) + others + files * TOKENS_OF_FILE;
  return { input, output: maxOutputTokens };
}

function isFile(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return type === "file" || type === "image";
}
