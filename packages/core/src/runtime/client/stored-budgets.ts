import { systemIds } from "../../system/system.js";
import { formatValue } from "../../value/format-value.js";
import { wrongOption } from "../../value/options.js";
import type { AllowOptions, BudgetReport, Cost, DayQuery, RuntimeBudgets } from "../api/budget.types.js";
import type { TenantOptions } from "../api/runtime.types.js";
import { amountsOf } from "../budget/amounts.js";
import { checkCost } from "../budget/budget-options.js";
import type { Budgets } from "../budget/budgets.js";
import { isDay } from "../budget/day.js";
import { checkCallOptions } from "../options/call-options.js";
import { checkNames } from "../options/check-names.js";

/** The budgets of a store, from outside of runs. */
export class StoredBudgets implements RuntimeBudgets {
  readonly #budgets: Budgets;
  readonly #assertOpen: () => void;

  constructor(budgets: Budgets, assertOpen: () => void) {
    this.#budgets = budgets;
    this.#assertOpen = assertOpen;
  }

  async run(runId: string, options: TenantOptions = {}): Promise<BudgetReport> {
    this.#assertOpen();
    checkCallOptions("budgets.run", options);
    const { tenant = "" } = options;
    checkNames({ tenant, runId });
    return this.#budgets.run({ tenant, runId });
  }

  async tenant(query: DayQuery = {}): Promise<BudgetReport & { readonly day: string }> {
    this.#assertOpen();
    checkCallOptions("budgets.tenant", query);
    const { tenant = "", day = this.#budgets.today() } = query;
    checkNames({ tenant });
    if (!isDay(day)) throw wrongOption("day", `is ${formatValue(day)}`, 'Pass a date, such as "2026-11-29".');
    return { day, ...(await this.#budgets.tenant(tenant, day)) };
  }

  async allow(runId: string, more: Cost, options: AllowOptions = {}): Promise<void> {
    this.#assertOpen();
    checkCallOptions("budgets.allow", options);
    const { tenant = "", key = systemIds.runId() } = options;
    checkNames({ tenant, runId, key });
    checkCost("What `allow` adds", more);
    await this.#budgets.allow({ tenant, runId }, `from outside: ${key}`, amountsOf({ calls: 0, ...more }));
  }
}
