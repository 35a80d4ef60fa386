/**
 * Budgets hold over processes that are killed.
 *
 * @module
 */
import { setTimeout as after } from "node:timers/promises";
import { createRuntime, type RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import type { ScriptProcess } from "../processes/index.js";
import { MOST, startProvider } from "./provider.js";
import { budgetsFor, PLACES, shopOf } from "./spender.js";

export { spend } from "./spender.js";

export interface SpendingSubject {
  /** Opens the store here. */
  open(): RunStore;
  /** Starts a script that calls `spend` over the same store. */
  start(url: string, runs: number): ScriptProcess;
}

export interface SpendingPlan {
  readonly runs: number;
  readonly processes: number;
  readonly kills: number;
}

export function budgetSuite(name: string, subject: () => SpendingSubject, plan: SpendingPlan): void {
  const { runs, processes, kills } = plan;
  describe(`${name}: budgets`, () => {
    it(`hold for ${runs} runs on ${processes} processes, with ${kills} kills`, { timeout: 240_000 }, async () => {
      const provider = await startProvider();
      const { open, start } = subject();
      const budgets = budgetsFor(runs);
      const { tenant, run } = budgets;
      const runtime = createRuntime({ workflows: { shop: shopOf("") }, store: open(), budgets, execute: false });
      try {
        await Promise.all(
          Array.from({ length: runs }, (_, index) => runtime.run("shop", {}, { runId: `r${index}` }).accepted),
        );
        const workers = Array.from({ length: processes }, () => start(provider.url, runs));
        for (let killed = 0; killed < kills; killed++) {
          await after(700);
          await workers[killed % processes]?.kill();
          workers[killed % processes] = start(provider.url, runs);
        }
        await expect
          .poll(() => runtime.counts(), { timeout: 200_000, interval: 200 })
          .toEqual([{ workflow: "shop", status: "completed", count: runs }]);
        const day = await runtime.budgets.tenant();
        const slack = 1e-6;
        // A call that was answered and not stored when its process was killed is paid for, and not known. It is not made again where
        // the budget was used up before its run had its turn.
        const lost = provider.calls() - day.spent.calls;
        console.log({
          name,
          calls: provider.calls(),
          paid: provider.paid(),
          paidOnce: provider.paidOnce(),
          spent: day.spent,
        });
        expect(day.spent.usd).toBeLessThanOrEqual(tenant.usdPerDay + slack);
        expect(lost).toBeLessThanOrEqual(kills * PLACES);
        expect(provider.paid()).toBeLessThanOrEqual(day.spent.usd + lost * MOST + slack);
        expect(day.spent.usd).toBeLessThanOrEqual(provider.paid() + slack);
        // A kill has met calls at work.
        expect(provider.calls()).toBeGreaterThan(day.spent.calls);
        // The budget was used, up to a call.
        expect(day.spent.usd).toBeGreaterThan(tenant.usdPerDay - MOST);
        for (let index = 0; index < runs; index += 7)
          expect((await runtime.budgets.run(`r${index}`)).spent.usd).toBeLessThanOrEqual(run.usd + slack);
        await Promise.all(workers.map((worker) => worker.kill()));
      } finally {
        await runtime.stop();
        await provider[Symbol.asyncDispose]();
      }
    });
  });
}
