/** The budgets of a runtime and the costs of calls: checked at the door. */

import type { Context, EffectCall } from "../../authoring/context.types.js";
import { type Amounts, attemptOf, type BudgetReport, type Cost, type RunBudgetPort } from "../../host.js";
import { hasFields } from "../../value/kind.js";
import { nested, optionProblems, type Rules, ruleOf } from "../../value/option-rules.js";
import { refuseOptions } from "../../value/options.js";
import { shown } from "../../value/shape.js";
import type { BudgetOptions, PaidCall, RunBudget, StepBudget, TenantBudget } from "../api/budget.types.js";
import { isTimezone, nothing } from "./account.js";

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
  return hasFields(given)
    ? optionProblems(given as BudgetOptions, budgets, "budgets.")
    : ["`budgets` is not an object"];
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkCost(of: string, given: unknown): void {
  refuseOptions(of, hasFields(given) ? optionProblems(given as Cost, cost) : ["it is not an object"]);
}

export const noBudgets: ResolvedBudgets = { run: {}, tenant: {}, timezone: "UTC" };

/** `null` if no unit has a budget. */
export function resolveBudgets(options: BudgetOptions | undefined): ResolvedBudgets | null {
  if (options === undefined) return null;
  const { tokensPerDay: tokens, usdPerDay: usd, callsPerDay: calls, timezone = "UTC" } = options.tenant ?? {};
  return { run: limitsIn(options.run ?? {}), tenant: limitsIn({ tokens, usd, calls }), timezone };
}

function limitsIn(given: { readonly [Unit in keyof Amounts]?: number | undefined }): Partial<Amounts> {
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
}

/**
 * Returns the budget of a step. In a run without budgets, everything may be spent.
 *
 * @example const image = await budgetOf(ctx).run("draw", ({ signal }) => draw(prompt, signal), { cost: { usd: 0.04 } });
 */
export function budgetOf(ctx: Pick<Context, "runId" | "run">): StepBudget {
  const port = budgetPort(ctx);
  return {
    run: (key, effect, { cost, ...options }) => {
      const paid = async (call: EffectCall): Promise<unknown> => spendIn(port, call, { cost, effect });
      return ctx.run(key, paid as never, options) as Promise<never>;
    },
    allow: (key, more) => {
      checkCost("What `allow` adds", more);
      return ctx.run(key, ({ idempotencyKey }) => port?.allow(idempotencyKey, more));
    },
    read: () => port?.read() ?? Promise.resolve(unlimited),
  };
}

const unlimited: BudgetReport = { spent: nothing, reserved: nothing, allowed: {} };

/** The budgets of the run of a step; `null` for a run without. */
export function budgetPort(ctx: object): RunBudgetPort | null {
  return attemptOf(ctx)?.run.journal?.budget ?? null;
}

interface Paid {
  readonly cost: Cost;
  readonly effect: (call: PaidCall) => unknown;
}

function spendIn(port: RunBudgetPort | null, call: EffectCall, { cost, effect }: Paid): unknown {
  checkCost(`The cost of "${call.idempotencyKey}"`, cost);
  const { finish: _finish, ...paid } = call;
  if (port === null) return effect({ ...paid, spent: checkSpent });
  return port.spend({
    cost,
    signal: call.signal,
    work: (spent) => effect({ ...paid, spent: (used) => spent(checkSpent(used)) }),
  });
}

function checkSpent(cost: Cost): Cost {
  checkCost("What `spent` is called with", cost);
  return cost;
}
