import { systemIds } from "../../system/system.js";
import { formatValue } from "../../value/kind.js";
import { wrongOption } from "../../value/options.js";
import type {
  AllowOptions,
  BudgetReport,
  Cost,
  DayQuery,
  DaySpending,
  RuntimeBudgets,
  TenantSpending,
} from "../api/budget.types.js";
import type { TenantOptions } from "../api/runtime.types.js";
import { amountsOf, isDay, isNothing } from "../budget/account.js";
import { checkCost } from "../budget/budget-options.js";
import type { Budgets } from "../budget/budgets.js";
import { checkCallOptions, checkNames } from "../options/call-options.js";
import type { RunStore } from "../store/run-store.types.js";

/** How many records of tenants are read at once. */
const READ_AT_ONCE = 50;

export interface BudgetsSetup {
  readonly budgets: Budgets;
  readonly isDeclared: boolean;
  readonly store: Pick<RunStore, "tenants">;
  readonly assertOpen: () => void;
}

/** The budgets of a store, from outside of runs. */
export class StoredBudgets implements RuntimeBudgets {
  readonly #setup: BudgetsSetup;

  constructor(setup: BudgetsSetup) {
    this.#setup = setup;
  }

  get isDeclared(): boolean {
    return this.#setup.isDeclared;
  }

  async run(runId: string, options: TenantOptions = {}): Promise<BudgetReport> {
    this.#setup.assertOpen();
    checkCallOptions("budgets.run", options);
    const { tenant = "" } = options;
    checkNames({ tenant, runId });
    return this.#setup.budgets.run({ tenant, runId });
  }

  async tenant(query: DayQuery = {}): Promise<BudgetReport & { readonly day: string }> {
    this.#setup.assertOpen();
    checkCallOptions("budgets.tenant", query);
    const { tenant = "" } = query;
    checkNames({ tenant });
    const day = this.#dayOf(query);
    return { day, ...(await this.#setup.budgets.tenant(tenant, day)) };
  }

  async tenants(query: Omit<DayQuery, "tenant"> = {}): Promise<DaySpending> {
    const { assertOpen, budgets, store } = this.#setup;
    assertOpen();
    checkCallOptions("budgets.tenants", query);
    const day = this.#dayOf(query);
    const names = await store.tenants();
    const found: TenantSpending[] = [];
    for (let first = 0; first < names.length; first += READ_AT_ONCE) {
      const some = names.slice(first, first + READ_AT_ONCE);
      found.push(
        ...(await Promise.all(some.map(async (tenant) => ({ tenant, ...(await budgets.tenant(tenant, day)) })))),
      );
    }
    const tenants = found.filter(({ spent, reserved }) => !isNothing(spent) || !isNothing(reserved)).sort(bySpending);
    return { day, timezone: budgets.timezone, tenants };
  }

  async allow(runId: string, more: Cost, options: AllowOptions = {}): Promise<void> {
    this.#setup.assertOpen();
    checkCallOptions("budgets.allow", options);
    const { tenant = "", key = systemIds.runId() } = options;
    checkNames({ tenant, runId, key });
    checkCost("What `allow` adds", more);
    await this.#setup.budgets.allow({ tenant, runId }, `from outside: ${key}`, amountsOf({ calls: 0, ...more }));
  }

  /** @throws {WorkflowError} `OPTION_INVALID` */
  #dayOf({ day = this.#setup.budgets.today() }: Pick<DayQuery, "day">): string {
    if (!isDay(day)) throw wrongOption("day", `is ${formatValue(day)}`, 'Pass a date, such as "2026-11-29".');
    return day;
  }
}

function bySpending({ spent: one }: TenantSpending, { spent: other }: TenantSpending): number {
  return other.usd - one.usd || other.tokens - one.tokens || other.calls - one.calls;
}
