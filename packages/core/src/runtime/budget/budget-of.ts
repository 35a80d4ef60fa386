import type { Context, EffectCall } from "../../authoring/context.types.js";
import { attemptOf, type BudgetReport, type Cost, type RunBudgetPort } from "../../host.js";
import type { PaidCall, StepBudget } from "../api/budget.types.js";
import { nothing } from "./amounts.js";
import { checkCost } from "./budget-options.js";

/**
 * What a step may spend. In a run without budgets, everything.
 *
 * @example
 * const image = await budgetOf(ctx).run("draw", ({ signal }) => draw(prompt, signal), { cost: { usd: 0.04 } });
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
