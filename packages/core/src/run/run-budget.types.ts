/** What the calls of a run may spend, as its steps see it: the seam between a step and the budgets of its runtime. */

/** An amount of each unit. */
export interface Amounts {
  /** Tokens that models have read and written. */
  readonly tokens: number;
  /** US dollars. */
  readonly usd: number;
  /** Calls that cost something. */
  readonly calls: number;
}

/** What a call may cost, or has cost. */
export interface Cost {
  /** Tokens that a model reads and writes; from 0. @default 0 */
  readonly tokens?: number;
  /** US dollars; from 0. @default 0 */
  readonly usd?: number;
  /** How many calls it counts as; from 0. @default 1 */
  readonly calls?: number;
}

/** How much is spent of one budget. */
export interface BudgetReport {
  /** By calls that have ended. */
  readonly spent: Amounts;
  /** By calls at work, in all processes: at most so much. */
  readonly reserved: Amounts;
  /** What may be spent, with what was allowed later; a unit without a limit is left out. */
  readonly allowed: Partial<Amounts>;
}

/** One call that costs something. */
export interface Spending<Result> {
  /** What it may cost. */
  readonly cost: Cost;
  /** Aborts the wait for a part of the budget that calls at work have reserved. */
  readonly signal: AbortSignal;
  /** @param spent Says what it has cost, also if it then fails. @default `cost` for a call that succeeds, nothing for one that fails */
  readonly work: (spent: (cost: Cost) => void) => Result | Promise<Result>;
}

export interface RunBudgetPort {
  /** Which units have a budget: what others cost need not be known. */
  readonly units: ReadonlySet<keyof Amounts>;
  /** @throws {WorkflowError} `BUDGET_EXCEEDED` before `work` is called; what `work` throws. */
  spend<Result>(spending: Spending<Result>): Promise<Result>;
  /** Allows the run to spend more; a second time with the same key changes nothing. */
  allow(key: string, more: Cost): Promise<void>;
  read(): Promise<BudgetReport>;
}
