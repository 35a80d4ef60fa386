/** Deleting many runs, while the process does other things. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";

const HOUR = 3_600_000;
const COUNT = 250;

const flow = defineWorkflow("flow")
  .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

/** Many runs that ended an hour ago, in a store whose deletions take this many milliseconds for each run. */
async function old(msPerRun = 0) {
  const inner = memoryStore();
  const batches: number[] = [];
  const seen: string[] = [];
  const machine: Machine = new Machine(
    withMethods(inner, {
      delete: (keys) => {
        batches.push(keys.length);
        seen.push("batch");
        setImmediate(() => seen.push("turn"));
        machine.clock.skip(msPerRun * keys.length);
        return inner.delete(keys);
      },
    }),
  );
  const { runtime } = machine.open({ flow });
  await Promise.all(Array.from({ length: COUNT }, (_, index) => runtime.run("flow", {}, { runId: `run ${index}` })));
  await machine.clock.advance(HOUR + 1);
  return { runtime, batches, seen };
}

describe("retain() of many runs", () => {
  it("deletes in batches, and the host has a turn between any two", async () => {
    const { runtime, batches, seen } = await old();

    const deleted = await runtime.retain({ olderThan: "1h" });

    expect(deleted).toBe(COUNT);
    expect(batches.length).toBeGreaterThan(3);
    expect(seen.slice(0, -1)).toEqual(batches.flatMap(() => ["batch", "turn"]).slice(0, -1));
  });

  it.each([
    [6, [20, 4, 4, 4]],
    [30, [20, 1, 1, 1]],
    [0, [20, 40, 80, 60]],
  ])("takes batches of about 25 ms, where a run takes %j ms", async (msPerRun, sizes) => {
    const { runtime, batches } = await old(msPerRun);

    expect(await runtime.retain({ olderThan: "1h" })).toBe(COUNT);
    expect(batches.slice(0, 4)).toEqual(sizes);
  });

  it("deletes at most `limit` runs, and the next call goes on", async () => {
    const { runtime } = await old();

    const calls = [];
    for (let call = 0; call < 4; call++) calls.push(await runtime.retain({ olderThan: "1h", limit: 100 }));

    expect(calls).toEqual([100, 100, 50, 0]);
  });

  it.each([0, -1, 1.5, Number.NaN, "10" as never])("refuses the limit %j", async (limit) => {
    const { runtime } = await old();

    expect(await rejection(runtime.retain({ olderThan: "1h", limit }))).toMatchObject({
      code: "OPTION_INVALID",
      details: { option: "limit" },
    });
  });
});
