/**
 * A job that acts on many runs survives its processes, over every store: it loses no run, and acts on none twice.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import { type BulkCounts, createRuntime, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import type { ScriptProcess } from "../processes/index.js";
import { leaseMs, refundFlows } from "./bulk-worker.js";

export interface BulkSetup {
  /** A store of its own for each call, over the same runs. */
  readonly open: () => RunStore;
  /** Runs a script that calls `workOn` of `@millrace/conformance/bulk-worker` over these runs. */
  readonly start: () => ScriptProcess;
}

const quiet = { info() {}, error() {} };

/** @param setup Called in each test. @param runs How many. */
export function bulkSuite(store: string, setup: () => BulkSetup, runs: number): void {
  describe(`${store}: a job over ${runs} runs`, () => {
    it("retries each run once, while its processes are killed", { timeout: 280_000 }, async () => {
      const { open, start } = setup();
      await failedRuns(open(), runs);
      const web = createRuntime({ workflows: refundFlows(false), store: open(), execute: false, log: quiet });
      const workers = [start(), start()];
      await Promise.all(workers.map((worker) => worker.line()));

      const job = web.bulk({ action: "retry", where: { status: "failed" }, perSecond: 1_000, runId: "job" });
      for (const share of [0.1, 0.3, 0.5, 0.7]) {
        await until(async () => (await progressOf(web, "job")).done >= share * runs);
        const [victim] = workers.splice(0, 1) as [ScriptProcess];
        await victim.kill();
        workers.push(start());
      }

      expect(await job).toMatchObject({ matched: runs, done: runs, skipped: 0, failed: 0, problems: [] });
      await until(async () => (await completed(web)) === runs);
      expect(await retriesOf(web, runs)).toEqual({ 1: runs });
      await web.stop();
    });

    it("is stopped, and goes on later with the rest", { timeout: 120_000 }, async () => {
      const { open, start } = setup();
      await failedRuns(open(), 300);
      const web = createRuntime({ workflows: refundFlows(false), store: open(), execute: false, log: quiet });
      await start().line();
      const job = web.bulk({ action: "retry", where: { status: "failed" }, perSecond: 100, runId: "job" });
      await until(async () => (await progressOf(web, "job")).done >= 100);
      await web.handle("job").cancel("enough");
      await expect(job).rejects.toMatchObject({ code: "RUN_CANCELLED" });
      const before = await completed(web);
      await pause(1_500);
      expect(before).toBeLessThan(300);
      expect(await completed(web)).toBeLessThanOrEqual(before + 50);
      expect(await web.resume("job")).toMatchObject({ matched: 300, done: 300, skipped: 0 });
      await until(async () => (await completed(web)) === 300);
      expect(await retriesOf(web, 300)).toEqual({ 1: 300 });
      await web.stop();
    });
  });
}

const idOf = (index: number): string => `run-${index}`;

async function failedRuns(store: RunStore, count: number): Promise<void> {
  const runtime = createRuntime({ workflows: refundFlows(true), store, leaseMs, log: quiet });
  const started = Array.from({ length: count }, (_, index) =>
    runtime.run("refund", {}, { runId: idOf(index) }).catch(() => {}),
  );
  await Promise.all(started);
  await runtime.stop();
}

async function progressOf(runtime: Runtime, runId: string): Promise<Pick<BulkCounts, "done">> {
  const { lastEvent } = await runtime.handle(runId).summary();
  let last = { done: 0 };
  if (lastEvent < 0) return last;
  for await (const { event, sequence } of runtime.handle(runId).streamEvents({ after: Math.max(-1, lastEvent - 6) })) {
    if (event.type === "millrace.bulk.progress") last = event as unknown as BulkCounts;
    if (sequence >= lastEvent) break;
  }
  return last;
}

async function completed(runtime: Runtime): Promise<number> {
  const counts = await runtime.counts({ workflow: "refund" });
  return counts.find(({ status }) => status === "completed")?.count ?? 0;
}

/** How many runs were retried how often. */
async function retriesOf(runtime: Runtime, count: number): Promise<Record<number, number>> {
  const found: Record<number, number> = {};
  for (let index = 0; index < count; index++) {
    let retries = 0;
    for await (const { tick } of runtime.history(idOf(index))) if (tick.type === "run.retried") retries++;
    found[retries] = (found[retries] ?? 0) + 1;
  }
  return found;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(100);
}
