import { WorkflowError } from "../../errors/workflow-error.js";
import type { Amounts } from "../../host.js";
import { runAccounts } from "./account.js";
import type { Refusal } from "./account-book.js";

/** What an error and an event say about a budget that a call would exceed. */
export interface ReachedBudget {
  readonly budget: "run" | "tenant";
  /** The run, or the tenant. */
  readonly of: string;
  /** Its day and time zone, for the budget of a tenant. */
  readonly day?: string;
  readonly unit: keyof Amounts;
  readonly allowed: number;
  readonly spent: number;
  readonly reserved: number;
  /** What the call may cost. */
  readonly asked: number;
}

export function budgetExceeded(refusal: Refusal, asked: Amounts): WorkflowError {
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
