/** Steps of two runtimes that update the same records: each update is in them once, whoever is faster. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunStore, recordsOf } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";

const RUNS = 12;
const SEATS = 5;

const booking = defineWorkflow("booking")
  .step("book", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const records = recordsOf(ctx);
    await records.update<number>("count", "all", (count = 0) => count + 1);
    // Decides inside of the function, which is called again where another writer was faster.
    await records.update<string[]>("seats", "flight", (seats = []) =>
      seats.length < SEATS ? [...seats, ctx.runId] : seats,
    );
    return new StopEvent({ result: null });
  })
  .build();

const silent = { info() {}, error() {} };

export function updatingSuite(test: StoreTest): void {
  describe("records: updated by steps of two runtimes", () => {
    test("have every update once, and a decision that is kept in them", async (store, runs) => {
      const open = (from: RunStore) => createRuntime({ workflows: { booking }, store: keptOpen(from), log: silent });
      const [one, two] = [open(store), open(await runs.reopen())];

      await Promise.all(
        Array.from({ length: RUNS }, (_, n) => (n % 2 === 0 ? one : two).run("booking", {}, { runId: `run ${n}` })),
      );

      const [count, seats] = [await one.records.read("count", "all"), await two.records.read("seats", "flight")];
      expect(count).toEqual({ version: RUNS, value: RUNS });
      expect(seats?.version).toBe(RUNS);
      expect(new Set(seats?.value as string[]).size).toBe(SEATS);
      for (const runtime of [one, two]) await runtime.stop();
    });
  });
}

/** The test closes it. */
function keptOpen(store: RunStore): RunStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === "close") return async () => {};
      const member: unknown = target[name as keyof RunStore];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
