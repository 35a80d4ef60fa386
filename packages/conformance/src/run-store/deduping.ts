import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunHandle, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";

const flaky = defineWorkflow("flaky")
  .step("work", { on: StartEvent, emits: StopEvent }, (ev) => {
    if (ev.get("fails") === true) throw new TypeError("out of paper");
    return new StopEvent({ result: ev.get("of") });
  })
  .build();

type Flaky = Runtime<{ readonly flaky: typeof flaky }>;

const open = (store: RunStore): Flaky =>
  createRuntime({ workflows: { flaky }, store, log: { info: () => {}, error: () => {} } });

const keep = { dedupe: { key: "one", for: "1h" } } as const;
const replace = { dedupe: { ...keep.dedupe, failed: "replace" } } as const;
const messageOf = (run: RunHandle): Promise<string> => run.then(String, ({ message }: Error) => message);

/** Starts that count once for a key, by a runtime over the store. */
export function dedupeSuite(test: StoreTest): void {
  describe("starts with one key", () => {
    test("are given a failed run until its time is over", async (store) => {
      const runtime = open(store);

      const first = await messageOf(runtime.run("flaky", { fails: true }, keep));
      const second = await messageOf(runtime.run("flaky", { of: "second" }, keep));

      expect([first, second]).toEqual(["out of paper", "out of paper"]);
      await runtime.stop();
    });

    test('begin a new run with `failed: "replace"` once the run has failed', async (store) => {
      const runtime = open(store);

      const failed = await messageOf(runtime.run("flaky", { fails: true }, replace));
      const other = await messageOf(runtime.run("flaky", { of: "second" }, replace));
      const after = await messageOf(runtime.run("flaky", { of: "third" }, replace));

      expect([failed, other, after]).toEqual(["out of paper", "second", "second"]);
      await runtime.stop();
    });

    test("of many processes begin one new run for a failed one", async (store, runs) => {
      const runtimes = [open(store), open(await runs.reopen()), open(await runs.reopen())] as const;
      const failing = runtimes[0].run("flaky", { fails: true }, replace);
      await messageOf(failing);
      await expect.poll(async () => (await store.run({ tenant: "", runId: failing.runId }))?.status).toBe("failed");

      const again = [...runtimes, ...runtimes].map((runtime, index) =>
        runtime.run("flaky", { of: `again ${index}` }, replace),
      );
      const results = await Promise.all(again);

      expect(new Set(results).size).toBe(1);
      expect(new Set(again.map(({ runId }) => runId)).size).toBe(1);
      for (const runtime of runtimes) await runtime.stop();
    });
  });
}
