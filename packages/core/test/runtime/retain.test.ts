/** Deleting many runs, while the process does other things. */
import { describe, expect, it } from "vitest";
import { memoryStore, type Runtime } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const HOUR = 3_600_000;
const COUNT = 250;

const flow = defineWorkflow("flow")
  .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

class Poke extends ExternalEvent.define("Poke", {}) {}

/** Its first run of each id fails; a retry waits. */
function flakyFlow() {
  const failed = new Set<string>();
  return defineWorkflow("flow")
    .step("end", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_event, ctx) => {
      if (!failed.has(ctx.runId)) {
        failed.add(ctx.runId);
        throw new Error("no luck");
      }
      await ctx.waitForEvent(Poke);
      return new StopEvent({ result: null });
    })
    .build();
}

async function deletedByFailure(runtime: Runtime): Promise<number> {
  const { groups } = await runtime.statistics.failures();
  const { done } = await runtime.bulk({ action: "delete", where: { failure: groups[0]?.id ?? "" } });
  return done;
}

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

  // bareboat-necessities/ocean-imu#468, OptimalBits/bull#282, veryfront/veryfront-code#4354: a run that is retried while others are deleted stays.
  it.each([
    ["retain", (runtime) => runtime.retain({ olderThan: "1h" })],
    ["a job", async (runtime) => (await runtime.bulk({ action: "delete", where: { status: "failed" } })).done],
    ["a job over a failure", async (runtime) => deletedByFailure(runtime)],
  ] as readonly (readonly [string, (runtime: Runtime) => Promise<number>])[])(
    "keeps a run that was retried since it was listed, and waits: %s",
    async (_by, deleteAll) => {
      const inner = memoryStore();
      let batches = 0;
      const machine = new Machine(
        withMethods(inner, {
          delete: async (keys, ...only) => {
            if (++batches === 1) await retryElsewhere();
            return inner.delete(keys, ...only);
          },
        }),
      );
      const flaky = flakyFlow();
      const { runtime } = machine.open({ flow: flaky });
      const ends = Array.from({ length: 40 }, (_, index) => runtime.run("flow", {}, { runId: `run ${index}` }));
      await Promise.allSettled(ends);
      await machine.clock.advance(HOUR + 1);

      expect(await deleteAll(runtime)).toBe(39);

      expect((await machine.row("run 0")).status).toBe("waiting");

      async function retryElsewhere(): Promise<void> {
        const other = machine.open({ flow: flaky }).runtime;
        const again = other.retry("run 0");
        void rejection(again);
        await again.accepted;
        await settle();
        await other.stop();
      }
    },
  );

  it.each([0, -1, 1.5, Number.NaN, "10" as never])("refuses the limit %j", async (limit) => {
    const { runtime } = await old();

    expect(await rejection(runtime.retain({ olderThan: "1h", limit }))).toMatchObject({
      code: "OPTION_INVALID",
      details: { option: "limit" },
    });
  });
});
