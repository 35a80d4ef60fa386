/** A runtime over a store whose runs are in the memory of other processes only. */
import { expect, it } from "vitest";
import { createRuntime, memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { withMethods } from "../support/processes.js";
import { HOUR, scheduled, startedIds } from "../support/scheduled.js";
import { recordLog, VirtualClock } from "../support/virtual-clock.js";

const refuse = async (): Promise<never> => {
  throw new Error("A store whose runs are elsewhere was asked for what is due.");
};

const refused = ["claimDue", "renew", "posts", "nextWakeAtMs", "record", "records", "writeRecords"] as const;

/** It keeps no records, and has nothing that could be claimed. */
function elsewhere(store: RunStore): RunStore {
  const methods = Object.fromEntries(refused.map((name) => [name, refuse]));
  return withMethods(store, { ...methods, runsElsewhere: true });
}

it("asks the store for nothing that is due, and sets no timer", async () => {
  const [clock, log, store] = [new VirtualClock(), recordLog(), memoryStore()];
  const runtime = createRuntime({ workflows: scheduled, store: elsewhere(store), clock, log });

  expect(await runtime.start()).toBe(0);
  await runtime.run("report", { of: "rain" }, { runId: "one" }).accepted;
  await clock.advance(HOUR);

  expect(await runtime.due()).toEqual({ wakeAtMs: null });
  expect((await store.run({ tenant: "", runId: "one" }))?.ticks).toBe(0);
  expect(log.errors).toEqual([]);
  expect(clock.pending).toBe(0);
  await runtime.stop();
});

it("starts what schedules ask for where the store keeps records all the same", async () => {
  const [clock, log, store] = [new VirtualClock(), recordLog(), memoryStore()];
  const claiming = { claimDue: async () => [], renew: async () => [], nextWakeAtMs: async () => null };
  const keeping = withMethods(store, { ...claiming, runsElsewhere: true, keepsRecords: true });
  const runtime = createRuntime({ workflows: scheduled, store: keeping, clock, log });

  const hourly = { cron: "0 * * * *", overlap: "allow" } as const;
  await runtime.schedules.set("hourly", { workflow: "report", input: { of: "rain" }, ...hourly });
  const { wakeAtMs } = await runtime.due();
  await clock.advance(2 * HOUR);

  expect(wakeAtMs).toBe(clock.now() - HOUR);
  expect(await startedIds(runtime)).toHaveLength(2);
  expect(log.errors).toEqual([]);
  await runtime.stop();
});
