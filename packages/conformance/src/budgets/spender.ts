/** A process that spends: its runs call the provider until a budget is used up. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { budgetOf, createRuntime, type RunStore, withinBudget } from "millrace/runtime";
import { MOST } from "./provider.js";

/** How many runs a process works on at the same time. */
export const PLACES = 4;
/** How many calls a run wants to make. */
export const CALLS = 3;

/** What so many runs may spend, which is less than they want. */
export function budgetsFor(runs: number) {
  return { run: { usd: 0.025 }, tenant: { usdPerDay: runs * 0.012, timezone: farFromMidnight() } };
}

export function shopOf(url: string) {
  return defineWorkflow("shop")
    .step("buy", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const bought = await withinBudget(async () => {
        for (let call = 0; call < CALLS; call++)
          await budgetOf(ctx).run(
            `call ${call}`,
            async ({ idempotencyKey, spent }) => {
              const response = await fetch(`${url}/${encodeURIComponent(idempotencyKey)}`);
              const { cost } = (await response.json()) as { cost: number };
              spent({ usd: cost });
            },
            { cost: { usd: MOST } },
          );
        return "all";
      });
      return new StopEvent({
        result: typeof bought === "string" ? bought : `until the budget of the ${bought.budget}`,
      });
    })
    .build();
}

/** Works until it is killed. */
export async function spend(
  store: RunStore,
  { url, runs }: { readonly url: string; readonly runs: number },
): Promise<void> {
  const workflows = { shop: shopOf(url) };
  const options = { store, budgets: budgetsFor(runs), leaseMs: 1_000, maxConcurrentRuns: PLACES };
  await createRuntime({ workflows, ...options }).start();
}

/** A zone in which it is about noon, so that no test goes over midnight. */
function farFromMidnight(): string {
  const hours = 12 - new Date().getUTCHours();
  return hours === 0 ? "UTC" : `Etc/GMT${hours > 0 ? `-${hours}` : `+${-hours}`}`;
}
