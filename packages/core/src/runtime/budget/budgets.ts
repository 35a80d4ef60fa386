/**
 * The budgets of the runs of one process: every call that costs something is reserved in the accounts of its run and of its tenant before
 * it is made, and settled when it has ended.
 *
 * @module
 */

import { WorkflowError } from "../../errors/workflow-error.js";
import type { Amounts, BudgetReport, RunBudgetPort, Spending } from "../../host.js";
import type { RunKey } from "../store/run-store.types.js";
import { amountsOf, dayAccountKey, dayOf, nothing, runAccountKey, runAccounts, units } from "./account.js";
import { AccountBook, type BookSetup, type Refusal, type Wanted } from "./account-book.js";
import type { ResolvedBudgets } from "./budget-options.js";

export class Budgets {
  readonly #limits: ResolvedBudgets;
  readonly #setup: BookSetup;
  readonly #book: AccountBook;
  /** Units with a limit. */
  readonly #units: ReadonlySet<keyof Amounts>;

  constructor(limits: ResolvedBudgets, setup: BookSetup) {
    this.#limits = limits;
    this.#setup = setup;
    this.#book = new AccountBook(setup);
    this.#units = new Set(units.filter((unit) => (limits.run[unit] ?? limits.tenant[unit]) !== undefined));
  }

  /** Returns the budget that the steps of a run see. */
  of(key: RunKey): RunBudgetPort {
    return {
      units: this.#units,
      spend: (spending) => this.#spend(key, spending),
      allow: (id, more) => this.allow(key, id, amountsOf({ calls: 0, ...more })),
      read: () => this.run(key),
    };
  }

  run(key: RunKey): Promise<BudgetReport> {
    return this.#book.read(this.#run(key));
  }

  tenant(tenant: string, day: string): Promise<BudgetReport> {
    return this.#book.read(this.#tenant(tenant, day));
  }

  allow(key: RunKey, id: string, more: Amounts): Promise<void> {
    return this.#book.with([this.#run(key)], ([account]) => this.#book.allow(account as never, id, more));
  }

  get timezone(): string {
    return this.#limits.timezone;
  }

  today(): string {
    return dayOf(this.#setup.clock.now(), this.#limits.timezone);
  }

  stop(): Promise<void> {
    return this.#book.stop();
  }

  #run(key: RunKey): Wanted {
    return { key: runAccountKey(key), limits: this.#limits.run };
  }

  #tenant(tenant: string, day: string): Wanted {
    return { key: dayAccountKey(tenant, day, this.#limits.timezone), limits: this.#limits.tenant };
  }

  #spend<Result>(key: RunKey, { cost, signal, work }: Spending<Result>): Promise<Result> {
    const asked = amountsOf(cost);
    const wanted = [this.#run(key), this.#tenant(key.tenant, this.today())];
    return this.#book.with(wanted, async (accounts) => {
      for (;;) {
        signal.throwIfAborted();
        const refusal = await this.#book.reserve(accounts, asked);
        if (refusal === null) break;
        if (!refusal.isBusy) throw budgetExceeded(refusal, asked);
        await this.#book.whenFreed(signal);
      }
      let spent: Amounts | null = null;
      let isDone = false;
      try {
        signal.throwIfAborted();
        const result = await work((used) => void (spent = amountsOf(used)));
        isDone = true;
        return result;
      } finally {
        await this.#book.settle(accounts, asked, spent ?? (isDone ? asked : nothing));
      }
    });
  }
}

/** Facts about a budget that a call would exceed, for the error and the event. */
export interface ReachedBudget {
  readonly budget: "run" | "tenant";
  /** The run, or the tenant. */
  readonly of: string;
  /** Day and time zone of a tenant's budget. */
  readonly day?: string;
  readonly unit: keyof Amounts;
  readonly allowed: number;
  readonly spent: number;
  readonly reserved: number;
  /** Amount that the call may cost. */
  readonly asked: number;
}

function budgetExceeded(refusal: Refusal, asked: Amounts): WorkflowError {
  const reached = reachedBy(refusal, asked);
  const { allowed, spent, reserved, unit } = reached;
  const name = unit === "usd" ? "USD" : unit;
  const error = new WorkflowError({
    code: "BUDGET_EXCEEDED",
    message: `The call may cost ${reached.asked} ${name}, but ${whose(reached)} has ${allowed} ${name}: ${spent} spent, ${reserved} reserved by calls at work.`,
    hint:
      reached.budget === "run"
        ? "Allow more with `runtime.budgets.allow(runId, more)`, then continue the run with `runtime.retry(runId)`."
        : "Retry the run on another day, or raise `budgets.tenant` of `createRuntime`.",
    details: { ...reached },
  });
  error.retryable = false;
  return error;
}

function reachedBy({ account, unit, ...amounts }: Refusal, asked: Amounts): ReachedBudget {
  const { kind, id, tenant } = account.key;
  const isRun = kind === runAccounts;
  return {
    budget: isRun ? "run" : "tenant",
    of: isRun ? id : tenant,
    ...(!isRun && { day: id }),
    unit,
    allowed: amounts.allowed[unit] ?? 0,
    spent: amounts.spent[unit],
    reserved: amounts.reserved[unit],
    asked: asked[unit],
  };
}

function whose({ budget, of, day }: ReachedBudget): string {
  if (budget === "run") return `the budget of run "${of}"`;
  return of === "" ? `the budget for ${day}` : `the budget of tenant "${of}" for ${day}`;
}
