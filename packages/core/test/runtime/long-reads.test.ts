/** Looking back at long runs: what is read, and who else has a turn meanwhile. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunStore, type Runtime } from "../../src/entries/runtime.js";
import { defineWorkflow, event, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";

const EVERY = 20;

class Next extends event("Next", { left: z.number() }) {}

const flow = defineWorkflow("flow")
  .step("first", { on: StartEvent, emits: Next }, () => new Next({ left: 300 }))
  .step("next", { on: Next, emits: [Next, StopEvent] }, ({ left }) =>
    left > 0 ? new Next({ left: left - 1 }) : new StopEvent({ result: null }),
  )
  .build();

/** Each turn is a child, and the child has one of its own. */
const turn = defineWorkflow("turn", { children: { flow } })
  .step("turn", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
    await ctx.runChild("flow");
    return new StopEvent({ result: null });
  })
  .build();

const parent = defineWorkflow("parent", { children: { turn } })
  .step("begin", { on: StartEvent, emits: Next }, () => new Next({ left: 3 }))
  .step("next", { on: Next, emits: [Next, StopEvent] }, async ({ left }, ctx) => {
    await ctx.runChild("turn");
    return left > 0 ? new Next({ left: left - 1 }) : new StopEvent({ result: null });
  })
  .build();

/** A run of some 300 ticks or more, and how many of them have been read from the store since. */
async function long(name: "flow" | "parent" = "flow") {
  const inner = memoryStore();
  let read = 0;
  const ticks: RunStore["ticks"] = async (key, range) => {
    const batches = await inner.ticks(key, range);
    for (const { first, last } of batches) read += last - first + 1;
    return batches;
  };
  const machine = new Machine(withMethods(inner, { ticks }));
  const { runtime } = machine.open({ flow, parent }, { snapshotEvery: EVERY });
  await runtime.run(name, {}, { runId: "one" });
  await machine.clock.advance(0);
  const all = await historyOf(runtime, "one");
  read = 0;
  return { machine, runtime, all, last: all.length, read: () => read };
}

async function after(runtime: Runtime, number: number): Promise<unknown[]> {
  const entries: unknown[] = [];
  for await (const entry of runtime.history("one", { after: number })) entries.push(entry);
  return entries;
}

describe.each(["flow", "parent"] as const)("history({ after }) of a run of %s", (name) => {
  it("gives what came after that tick, as the whole history has it", async () => {
    const { runtime, all, last } = await long(name);

    expect(await after(runtime, 0)).toEqual(all);
    expect(await after(runtime, 7)).toEqual(all.slice(7));
    expect(await after(runtime, last - 1)).toEqual(all.slice(-1));
    expect(await after(runtime, last)).toEqual([]);
    expect(await after(runtime, last + 1_000)).toEqual([]);
  });

  it("reads no more than what comes after it", async () => {
    const { runtime, last, read } = await long(name);

    await after(runtime, last - 5);

    expect(last).toBeGreaterThan(300);
    expect(read()).toBeLessThan(12); // the first one tells which is the oldest, and a commit is read whole
  });
});

describe("history({ after })", () => {
  it("gives the end of a child that was cancelled with its step, however much is read", async () => {
    const waiting = defineWorkflow("waiting")
      .step("wait", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
        await ctx.sleep(60_000);
        return new StopEvent({ result: null });
      })
      .build();
    const hurried = defineWorkflow("hurried", { children: { waiting } })
      .step("hurry", { on: StartEvent, emits: Next }, async (_event, ctx) => {
        await Promise.race([ctx.runChild("waiting"), ctx.sleep(1_000)]);
        return new Next({ left: 0 });
      })
      .step("end", { on: Next, emits: StopEvent }, () => new StopEvent({ result: null }))
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ hurried });
    const run = runtime.run("hurried", {}, { runId: "one" });
    await machine.clock.advance(1_000);
    await run.outcome();

    const all = await historyOf(runtime, "one");
    const end = all.find(({ runId, tick }) => runId !== "one" && tick.type === "run.cancelled");

    expect(end).toBeDefined();
    expect(await after(runtime, (end?.number ?? 0) - 1)).toEqual(all.slice(all.indexOf(end as never)));
  });

  it.each([-1, 1.5, Number.NaN, "7" as never])("refuses %j", async (number) => {
    const { runtime } = await long();

    expect(await rejection(after(runtime, number))).toMatchObject({
      code: "OPTION_INVALID",
      details: { option: "after" },
    });
  });
});

describe("stateAt() and fork()", () => {
  it("read no further than the tick that they are of", async () => {
    const { runtime, read } = await long();

    await runtime.stateAt("one", 2 * EVERY + 1);
    await runtime.fork("one", { at: 2 * EVERY + 1 }).accepted;

    expect(read()).toBe(2 * (2 * EVERY + 1));
  });
});

describe("a read that takes long", () => {
  it.each<[string, (runtime: Runtime, tick: number) => Promise<unknown>]>([
    ["history()", (runtime) => historyOf(runtime, "one")],
    ["stateAt()", (runtime, tick) => runtime.stateAt("one", tick)],
    ["fork()", (runtime, tick) => runtime.fork("one", { at: tick }).accepted],
  ])("gives the host a turn every few milliseconds: %s", async (_name, read) => {
    const { machine, runtime } = await long();
    const { now } = machine.clock;
    let turns = 0;
    const count = (): void => {
      turns++;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);

    // Every look at the clock is a millisecond later.
    machine.clock.now = function () {
      this.skip(1);
      return now.call(this);
    };
    await read(runtime, 250);
    clearImmediate(turning);

    expect(turns).toBeGreaterThan(1);
  });
});
