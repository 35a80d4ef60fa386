/** A budget as an event: what a step hands to the step that decides what happens then. */

import { WorkflowError } from "../../errors/workflow-error.js";
import { type EventOf, event, type StandardSchema } from "../../host.js";
import type { Unit } from "../api/budget.types.js";

function typed<Value>(expected: string, isRight: (value: unknown) => boolean): StandardSchema<Value> {
  return {
    "~standard": {
      version: 1,
      vendor: "millrace",
      validate: (value) =>
        isRight(value) ? { value: value as Value } : { issues: [{ message: `expected ${expected}` }] },
    },
  };
}

const text = typed<string>("a text", (value) => typeof value === "string");
const amount = typed<number>("a number", (value) => Number.isFinite(value));
const unit = typed<Unit>("tokens, usd or calls", (value) => ["tokens", "usd", "calls"].includes(value as string));
const scope = typed<"run" | "tenant">("run or tenant", (value) => value === "run" || value === "tenant");
const day = typed<string | undefined>("a text", (value) => value === undefined || typeof value === "string");

interface Reached {
  readonly budget: "run" | "tenant";
  readonly of: string;
  readonly day?: string | undefined;
  readonly unit: Unit;
  readonly allowed: number;
  readonly spent: number;
  readonly reserved: number;
  readonly asked: number;
}

const ReachedBase: EventOf<"BudgetReachedEvent", Reached> = /* @__PURE__ */ event("BudgetReachedEvent", {
  budget: scope,
  of: text,
  day,
  unit,
  allowed: amount,
  spent: amount,
  reserved: amount,
  asked: amount,
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
