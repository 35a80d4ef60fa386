/** What an agent does when a model call would exceed a budget. */
import type { LanguageModel } from "ai";
import type { Context } from "millrace";
import { budgetReached } from "millrace/engine";
import type { BudgetReachedEvent } from "millrace/runtime";
import type { LoopRun } from "./loop-run.types.js";

/**
 * Makes a call, and makes it again for as long as `atBudget` wants that. What it decides follows from its own recorded calls, so the
 * same is decided when the step runs again.
 *
 * @param make Makes the call in this context; the keys of each are its own.
 */
export async function atBudget<Result>(
  run: LoopRun,
  name: string,
  make: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  let before: BudgetReachedEvent | null = null;
  for (let round = 1; ; round++) {
    try {
      return await make(round === 1 ? run.ctx : run.ctx.scope(`${name}.again${round}`));
    } catch (error) {
      const reached = budgetReached(error);
      if (reached === null || run.settings.atBudget === undefined) throw error;
      if (before !== null && isSame(before, reached)) throw error; // nothing has changed
      const model = await run.settings.atBudget(reached, run.ctx.scope(`${name}.budget${round}`));
      if (model !== undefined) run.cheaperModel = model as LanguageModel;
      before = reached;
    }
  }
}

function isSame(before: BudgetReachedEvent, now: BudgetReachedEvent): boolean {
  const facts = ["unit", "allowed", "spent", "asked"] as const;
  return facts.every((fact) => before[fact] === now[fact]);
}
