/** The budgets of a runtime and the costs of calls: checked at the door. */
import type { Amounts, Cost } from "../../host.js";
import { nested, optionProblems, type Rules, ruleOf } from "../../value/option-rules.js";
import { refuseOptions } from "../../value/options.js";
import { isObject, shown } from "../../value/shape.js";
import type { BudgetOptions, RunBudget, TenantBudget } from "../api/budget.types.js";
import { isTimezone } from "./day.js";

export interface ResolvedBudgets {
  readonly run: Partial<Amounts>;
  readonly tenant: Partial<Amounts>;
  readonly timezone: string;
}

const amount = ruleOf((value) =>
  Number.isFinite(value) && (value as number) >= 0 ? null : `is ${shown(value)}, not a number from 0`,
);
const count = ruleOf((value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : `is ${shown(value)}, not a whole number from 0`,
);
const zone = ruleOf((value) =>
  isTimezone(value) ? null : `is ${shown(value)}, not an IANA time zone such as "Europe/Berlin"`,
);

const run: Rules<RunBudget> = { tokens: count, usd: amount, calls: count };
const tenant: Rules<TenantBudget> = { tokensPerDay: count, usdPerDay: amount, callsPerDay: count, timezone: zone };
const budgets: Rules<BudgetOptions> = { run: nested(run), tenant: nested(tenant) };
const cost: Rules<Cost> = { tokens: amount, usd: amount, calls: count };

/** One text for each problem. */
export function budgetProblems(given: unknown): string[] {
  if (given === undefined) return [];
  return isObject(given) ? optionProblems(given as BudgetOptions, budgets, "budgets.") : ["`budgets` is not an object"];
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkCost(of: string, given: unknown): void {
  refuseOptions(of, isObject(given) ? optionProblems(given as Cost, cost) : ["it is not an object"]);
}

export const noBudgets: ResolvedBudgets = { run: {}, tenant: {}, timezone: "UTC" };

/** `null`: nothing has a budget. */
export function resolveBudgets(options: BudgetOptions | undefined): ResolvedBudgets | null {
  if (options === undefined) return null;
  const { tokensPerDay: tokens, usdPerDay: usd, callsPerDay: calls, timezone = "UTC" } = options.tenant ?? {};
  return { run: limitsIn(options.run ?? {}), tenant: limitsIn({ tokens, usd, calls }), timezone };
}

function limitsIn(given: { readonly [Unit in keyof Amounts]?: number | undefined }): Partial<Amounts> {
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
}
