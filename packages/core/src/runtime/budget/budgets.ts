/**
 * The budgets of the runs of one process: every call that costs something is reserved in the accounts of its run and of its tenant before
 * it is made, and settled when it has ended.
 *
 * Also the options of budgets and the costs of calls, checked at the door, and a budget as an event: what a step hands to the step that
 * decides what happens then.
 *
 * @module
 */

import type { Context, EffectCall } from "../../authoring/context.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import {
  type Amounts,
  attemptOf,
  type BudgetReport,
  type Cost,
  type EventOf,
  event,
  type RunBudgetPort,
  type Spending,
  type StandardSchema,
} from "../../host.js";
import { systemIds } from "../../system/system.js";
import { formatValue, hasFields } from "../../value/kind.js";
import { nested, optionProblems, type Rules, timezone, valueRule, wholeNumber } from "../../value/option-rules.js";
import { refuseOptions, wrongOption } from "../../value/options.js";
import { number, oneOf, optional, type Shape, text } from "../../value/shape.js";
import type {
  AllowOptions,
  BudgetOptions,
  DayQuery,
  DaySpending,
  PaidCall,
  RunBudget,
  RuntimeBudgets,
  StepBudget,
  TenantBudget,
  TenantSpending,
  Unit,
} from "../api/budget.types.js";
import type { TenantOptions } from "../api/runtime.types.js";
import { checkCallOptions, checkNames } from "../options/call-options.js";
import type { RunKey, RunStore } from "../store/run-store.types.js";
import {
  AccountBook,
  amountsOf,
  type BookSetup,
  dayAccountKey,
  dayOf,
  isDay,
  isNothing,
  nothing,
  type Refusal,
  runAccountKey,
  runAccounts,
  units,
  type Wanted,
} from "./account-book.js";

interface BudgetsSetup extends BookSetup {
  readonly store: Pick<RunStore, "record" | "writeRecords" | "tenants">;
}

/** How many records of tenants are read at once. */
const READ_AT_ONCE = 50;

/** The budgets of a store: for its runs, and from outside of them. */
export class Budgets implements RuntimeBudgets {
  readonly isDeclared: boolean;
  readonly #limits: ResolvedBudgets;
  readonly #setup: BudgetsSetup;
  readonly #book: AccountBook;
  /** Units with a limit. */
  readonly #units: ReadonlySet<keyof Amounts>;

  /** @param limits `null` for a runtime without budgets, which may still read what others have spent. */
  constructor(limits: ResolvedBudgets | null, setup: BudgetsSetup) {
    const { run, tenant } = limits ?? noBudgets;
    this.isDeclared = limits !== null;
    this.#limits = limits ?? noBudgets;
    this.#setup = setup;
    this.#book = new AccountBook(setup);
    this.#units = new Set(units.filter((unit) => (run[unit] ?? tenant[unit]) !== undefined));
  }

  /** Returns the budget that the steps of a run see. */
  of(key: RunKey): RunBudgetPort {
    return {
      units: this.#units,
      spend: (spending) => this.#spend(key, spending),
      allow: (id, more) => this.#allow(key, id, more),
      read: () => this.#book.read(this.#run(key)),
    };
  }

  async run(runId: string, options: TenantOptions = {}): Promise<BudgetReport> {
    checkCallOptions("budgets.run", options);
    const { tenant = "" } = options;
    checkNames({ tenant, runId });
    return this.#book.read(this.#run({ tenant, runId }));
  }

  async tenant(query: DayQuery = {}): Promise<BudgetReport & { readonly day: string }> {
    checkCallOptions("budgets.tenant", query);
    const { tenant = "" } = query;
    checkNames({ tenant });
    const day = this.#dayOf(query);
    return { day, ...(await this.#book.read(this.#tenant(tenant, day))) };
  }

  async tenants(query: Omit<DayQuery, "tenant"> = {}): Promise<DaySpending> {
    checkCallOptions("budgets.tenants", query);
    const day = this.#dayOf(query);
    const names = await this.#setup.store.tenants();
    const found: TenantSpending[] = [];
    for (let first = 0; first < names.length; first += READ_AT_ONCE) {
      const read = names
        .slice(first, first + READ_AT_ONCE)
        .map(async (tenant) => ({ tenant, ...(await this.#book.read(this.#tenant(tenant, day))) }));
      found.push(...(await Promise.all(read)));
    }
    const tenants = found.filter(({ spent, reserved }) => !isNothing(spent) || !isNothing(reserved)).sort(bySpending);
    return { day, timezone: this.#limits.timezone, tenants };
  }

  async allow(runId: string, more: Cost, options: AllowOptions = {}): Promise<void> {
    checkCallOptions("budgets.allow", options);
    const { tenant = "", key = systemIds.runId() } = options;
    checkNames({ tenant, runId, key });
    checkCost("What `allow` adds", more);
    await this.#allow({ tenant, runId }, `from outside: ${key}`, more);
  }

  /** Resolves when everything is written. */
  stop(): Promise<void> {
    return this.#book.stop();
  }

  #allow(key: RunKey, id: string, more: Cost): Promise<void> {
    const amounts = amountsOf({ calls: 0, ...more });
    return this.#book.with([this.#run(key)], ([account]) => this.#book.allow(account as never, id, amounts));
  }

  /** @throws {WorkflowError} `OPTION_INVALID` */
  #dayOf({ day = this.#today() }: Pick<DayQuery, "day">): string {
    if (!isDay(day)) throw wrongOption("day", `is ${formatValue(day)}`, 'Pass a date, such as "2026-11-29".');
    return day;
  }

  #today(): string {
    return dayOf(this.#setup.clock.now(), this.#limits.timezone);
  }

  #run(key: RunKey): Wanted {
    return { key: runAccountKey(key), limits: this.#limits.run };
  }

  #tenant(tenant: string, day: string): Wanted {
    return { key: dayAccountKey(tenant, day, this.#limits.timezone), limits: this.#limits.tenant };
  }

  #spend<Result>(key: RunKey, { cost, signal, work }: Spending<Result>): Promise<Result> {
    const asked = amountsOf(cost);
    const wanted = [this.#run(key), this.#tenant(key.tenant, this.#today())];
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
interface ReachedBudget {
  readonly budget: "run" | "tenant";
  /** The run, or the tenant. */
  readonly of: string;
  /** Day and time zone of a tenant's budget. */
  readonly day?: string | undefined;
  readonly unit: Unit;
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

export interface ResolvedBudgets {
  readonly run: Partial<Amounts>;
  readonly tenant: Partial<Amounts>;
  readonly timezone: string;
}

const amount = valueRule((value) => Number.isFinite(value) && (value as number) >= 0, "a number from 0");
const count = wholeNumber(0);

const run: Rules<RunBudget> = { tokens: count, usd: amount, calls: count };
const tenant: Rules<TenantBudget> = { tokensPerDay: count, usdPerDay: amount, callsPerDay: count, timezone };
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

const noBudgets: ResolvedBudgets = { run: {}, tenant: {}, timezone: "UTC" };

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

function bySpending({ spent: one }: TenantSpending, { spent: other }: TenantSpending): number {
  return other.usd - one.usd || other.tokens - one.tokens || other.calls - one.calls;
}

/** A field that is checked by a shape. */
// @__NO_SIDE_EFFECTS__
function field<Value>(of: Shape<Value>): StandardSchema<Value> {
  const validate = (value: unknown) => {
    const problems = of(value);
    return problems === null ? { value: value as Value } : { issues: problems.map(({ what }) => ({ message: what })) };
  };
  return { "~standard": { version: 1, vendor: "millrace", validate } };
}

const ReachedBase: EventOf<"BudgetReachedEvent", ReachedBudget> = /* @__PURE__ */ event("BudgetReachedEvent", {
  budget: field(oneOf("run", "tenant")),
  of: field(text),
  day: field(optional(text)),
  unit: field(oneOf(...units)),
  allowed: field(number),
  spent: field(number),
  reserved: field(number),
  asked: field(number),
});

/**
 * A call would exceed a budget. A step that lists it in `emits` returns it by `withinBudget`; the step that accepts it asks a
 * person, continues with less, or fails.
 *
 * `budget` is `"run"` or `"tenant"`, `of` the id of the run or the tenant, `day` the day and the time zone of a tenant's
 * budget. In `unit` there are `allowed`, `spent`, `reserved` by calls at work, and `asked` for the call.
 */
export class BudgetReachedEvent extends ReachedBase {}

/**
 * Returns what `work` returns; for a call that would exceed a budget, the event that says so. Other errors are thrown.
 *
 * @example
 * return withinBudget(async () => {
 *   const { content } = await agent.run(question, { ctx });
 *   return new StopEvent({ result: content });
 * });
 */
export async function withinBudget<Result>(work: () => Promise<Result>): Promise<Result | BudgetReachedEvent> {
  try {
    return await work();
  } catch (error) {
    const reached = budgetReached(error);
    if (reached === null) throw error;
    return reached;
  }
}

/** The event for an error with the code `BUDGET_EXCEEDED`, or for one that it has caused; `null` for another error. */
export function budgetReached(error: unknown): BudgetReachedEvent | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (WorkflowError.is(cause, "BUDGET_EXCEEDED")) return new BudgetReachedEvent(cause.details as never);
  return null;
}
