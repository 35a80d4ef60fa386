/** Budgets of runs and tenants: how they are declared, read and raised. */

import type { EffectOptions } from "../../authoring/context.types.js";
import type { Amounts, BudgetReport, Cost } from "../../host.js";
import type { TenantOptions } from "./run-filter.types.js";

export type { Amounts, BudgetReport, Cost } from "../../host.js";

/** Budgets of the calls of runs. Each process obeys its own: set the same budgets in all processes. */
export interface BudgetOptions {
  /** Budget of each run with its children, in its whole life. @default no limit */
  readonly run?: RunBudget;
  /** Budget of all runs of each tenant, in each day. Runs without a tenant share one. @default no limit */
  readonly tenant?: TenantBudget;
}

/** A unit that is left out has no limit. */
export interface RunBudget {
  /** Tokens that models read and write; a whole number from 0. */
  readonly tokens?: number;
  /** US dollars; from 0. */
  readonly usd?: number;
  /** Calls that cost something; a whole number from 0. */
  readonly calls?: number;
}

/** A unit that is left out has no limit. */
export interface TenantBudget {
  /** Tokens that models read and write; a whole number from 0. */
  readonly tokensPerDay?: number;
  /** US dollars; from 0. */
  readonly usdPerDay?: number;
  /** Calls that cost something; a whole number from 0. */
  readonly callsPerDay?: number;
  /** The IANA time zone of its days. @default "UTC" */
  readonly timezone?: string;
}

/** Options of `budgetOf(ctx).run`: those of `ctx.run`, and what the call costs. */
export interface PaidOptions extends EffectOptions {
  /** Cost of each attempt, reserved before the function is called. */
  readonly cost: Cost;
}

/** Amounts that a step may spend: the budget of its run, and that of the tenant. */
export interface StepBudget {
  /**
   * Works like `ctx.run`, for a function that costs something. Its cost is reserved before each attempt, and settled when the
   * attempt has ended. While calls at work have reserved the rest of a budget, it waits for them.
   *
   * @throws {WorkflowError} `BUDGET_EXCEEDED`, which is not retried; and as `ctx.run`.
   */
  run<Result>(key: string, effect: (call: PaidCall) => Result | Promise<Result>, options: PaidOptions): Promise<Result>;
  /**
   * Allows the run to spend more, from now on. Once: a step that runs again has done it.
   *
   * @param key Unique in the step, as a key of `ctx.run`.
   * @throws {WorkflowError} `OPTION_INVALID`
   */
  allow(key: string, more: Cost): Promise<void>;
  /** Returns the spent part of the run's budget. Not recorded: a step that runs again may get another answer. */
  read(): Promise<BudgetReport>;
}

/** Argument of a function that costs something: that of `ctx.run`, without an edit. */
export interface PaidCall {
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  write(piece: string | object): void;
  /**
   * Says what this attempt has cost, also if it then fails. The last call counts.
   *
   * @default `cost` for an attempt that succeeds, nothing for one that fails
   * @throws {WorkflowError} `OPTION_INVALID`
   */
  spent(cost: Cost): void;
}

/** A budget of a day. */
export interface DayQuery extends TenantOptions {
  /** Its date, such as `"2026-11-29"`. @default today, in the `timezone` of the budget */
  readonly day?: string;
}

export interface AllowOptions extends TenantOptions {
  /** A second call with the same key changes nothing. @default every call counts */
  readonly key?: string;
}

/** Amounts that one tenant has spent in a day. */
export interface TenantSpending extends BudgetReport {
  readonly tenant: string;
}

/** Amounts that tenants have spent in a day. */
export interface DaySpending {
  readonly day: string;
  /** Where the day begins and ends. */
  readonly timezone: string;
  /** The tenants with runs that have spent or reserved something: those with the most dollars first, then the most tokens. */
  readonly tenants: readonly TenantSpending[];
}

/** Amounts that runs and tenants have spent, read from outside of runs. */
export interface RuntimeBudgets {
  /** Whether this runtime was created with `budgets`. */
  readonly isDeclared: boolean;
  /** Returns what a run has spent: 0 of each unit for a run without a call that costs something. */
  run(runId: string, options?: TenantOptions): Promise<BudgetReport>;
  /** Returns what the runs of a tenant have spent in a day. */
  tenant(query?: DayQuery): Promise<BudgetReport & { readonly day: string }>;
  /** Returns what every tenant has spent in a day. It reads one record for each tenant that has runs. */
  tenants(query?: Omit<DayQuery, "tenant">): Promise<DaySpending>;
  /**
   * Allows a run to spend more. A run that has failed with `BUDGET_EXCEEDED` continues with `runtime.retry(runId)`: calls that were
   * recorded are not made again.
   *
   * @throws {WorkflowError} `OPTION_INVALID`
   */
  allow(runId: string, more: Cost, options?: AllowOptions): Promise<void>;
}

export type Unit = keyof Amounts;
