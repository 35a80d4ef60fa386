/** Records that steps write: stored with the end of their step, or not at all. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, recordsOf } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, retryPolicy, StartEvent, StopEvent, stop, wait } from "../../src/index.js";
import { counter, counting, countOf, fanOut, increment } from "../support/counters.js";
import { historyOf, Machine, withMethods } from "../support/processes.js";
import { gate, rejection } from "../support/runs.js";
import { silent } from "../support/runtimes.js";
import { settle } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

describe("a step that writes a record", () => {
  it("stores it with its end, under a version that rises", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ counting });

    expect(await runtime.run("counting")).toBe(1);
    expect(await runtime.run("counting")).toBe(2);
    expect(await runtime.records.read("counter", "visits")).toEqual({ version: 2, value: 2 });
  });

  it("does so in the tenant of its run", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ counting });

    await runtime.run("counting", {}, { tenant: "acme" });

    expect(await runtime.records.read("counter", "visits")).toBeNull();
    expect(await runtime.records.read("counter", "visits", { tenant: "acme" })).toEqual({ version: 1, value: 1 });
  });

  it("reads what it has written, and can delete it again", async () => {
    const seen: unknown[] = [];
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const records = recordsOf(ctx);
        seen.push(await records.read("counter", "visits"));
        records.write({ ...counter, expected: 0, value: { at: new Date(0) } });
        seen.push(await records.read("counter", "visits"));
        records.write({ ...counter, expected: 1, delete: true });
        seen.push(await records.read("counter", "visits"));
        records.write({ ...counter, expected: 0, value: "last" });
        return new StopEvent({ result: null });
      })
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ flow });

    await runtime.run("flow");

    expect(seen).toEqual([null, { version: 1, value: { at: new Date(0) } }, null]);
    expect(await runtime.records.read("counter", "visits")).toEqual({ version: 1, value: "last" });
  });

  it("leaves no trace of an attempt that fails", async () => {
    let attempts = 0;
    const flow = defineWorkflow("flow")
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) }) },
        async (_ev, ctx) => {
          const value = await increment(ctx);
          if (++attempts < 3) throw new Error("Not yet.");
          return new StopEvent({ result: value });
        },
      )
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ flow });

    const run = runtime.run("flow");
    await machine.clock.advance(1_000);

    expect(await run).toBe(1);
    expect(await countOf(machine.store)).toBe(1);
  });

  it("is told where it expects another version than it has read, or has read nothing", async () => {
    const errors: unknown[] = [];
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const records = recordsOf(ctx);
        await records.read("counter", "visits");
        const edits = [
          { ...counter, expected: 1, value: 1 },
          { ...counter, id: "other", expected: 0, value: 1 },
        ];
        for (const edit of edits) errors.push(await rejection((async () => records.write(edit))()));
        return new StopEvent({ result: null });
      })
      .build();
    const machine = new Machine();

    await machine.open({ flow }).runtime.run("flow");

    expect(errors).toMatchObject([{ code: "RECORD_CONFLICT" }, { code: "RECORD_CONFLICT" }]);
    expect(await countOf(machine.store)).toBeNull();
  });

  it("cannot store what is no data", async () => {
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const records = recordsOf(ctx);
        await records.read("counter", "visits");
        records.write({ ...counter, expected: 0, value: { log: () => {} } });
        return new StopEvent({ result: null });
      })
      .build();
    const { runtime } = new Machine().open({ flow });

    expect(await rejection(runtime.run("flow"))).toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
  });

  it("says so where there is no runtime, or no step", async () => {
    const failed = await rejection(counting.run({}));

    expect(failed.cause ?? failed).toMatchObject({ code: "RUNTIME_REQUIRED" });
    expect(() => recordsOf({ runId: "one" })).toThrow("outside a step");
  });
});

describe("records that others write meanwhile", () => {
  it("make the step run again with what is stored then: no failure of it, and no retry of its own", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const seen: unknown[] = [];
    const flow = defineWorkflow("flow", { state: { edits: z.number().default(0) } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.editState((draft) => void draft.edits++);
        const value = await increment(ctx);
        seen.push([value, ctx.retryInfo().retry]);
        await promise;
        return new StopEvent({ result: [value, await ctx.store.get("edits")] });
      })
      .build();
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    await runtime.records.write([{ ...counter, expected: 0, value: 10 }]);
    open();

    expect(await run).toEqual([11, 1]);
    expect(seen).toEqual([
      [1, 0],
      [11, 0],
    ]);
    expect(await countOf(machine.store)).toBe(11);
    const ticks = (await historyOf(runtime as never, "run")).map(({ tick }) => tick?.type);
    expect(ticks.filter((type) => type === "step.completed" || type === "step.failed")).toEqual([
      "step.failed",
      "step.completed",
    ]);
  });

  it("do not touch what other steps of the run store in the same commit", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const flow = fanOut(2, async (n, ctx) => {
      const value = await increment(ctx, `${n}`);
      await promise;
      return value;
    });
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    await runtime.records.write([{ kind: "counter", id: "0", expected: 0, value: 10 }]);
    open();

    expect(await run).toEqual([11, 1]);
    const batches = (await historyOf(runtime as never, "run")).filter(({ tick }) =>
      /step.(c|f)/.test(tick?.type ?? ""),
    );
    expect(batches.filter(({ tick }) => tick?.type === "step.failed")).toHaveLength(1);
    expect([await countOf(machine.store, "0"), await countOf(machine.store, "1")]).toEqual([11, 1]);
  });

  it("may be steps of the same run", async () => {
    const machine = new Machine();
    const flow = fanOut(8, (_n, ctx) => increment(ctx));
    const { runtime } = machine.open({ flow });

    const values = (await runtime.run("flow")) as number[];

    expect([...values].sort((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await countOf(machine.store)).toBe(8);
  });

  it("may be children of the same run, while their parent has read the record", async () => {
    const machine = new Machine();
    const flow = defineWorkflow("parent", { children: { counting } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const before = await recordsOf(ctx).read("counter", "visits");
        const child = await ctx.runChild("counting", {});
        return new StopEvent({ result: [before, child, await increment(ctx)] });
      })
      .build();
    const { runtime } = machine.open({ flow });

    // What the parent has read is old by then: it runs again, and the child has been run already.
    expect(await runtime.run("flow")).toEqual([{ version: 1, value: 1 }, 1, 2]);
    expect(await countOf(machine.store)).toBe(2);
  });

  it("may be children that end in one commit", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const child = defineWorkflow("child")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await recordsOf(ctx).read("counter", "visits");
        await ctx.sleep("1s"); // whoever waits lets others have their turn, so both have read the same version
        await promise;
        return new StopEvent({ result: await increment(ctx) });
      })
      .build();
    const flow = defineWorkflow("parent", { children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const values = await Promise.all([ctx.runChild("child", {}), ctx.runChild("child", {})]);
        return new StopEvent({ result: values });
      })
      .build();
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow");
    await machine.clock.advance(1_000);
    open();

    expect([...((await run) as number[])].sort()).toEqual([1, 2]);
    expect(await countOf(machine.store)).toBe(2);
  });

  it("never wait for each other in a circle", async () => {
    const machine = new Machine();
    const flow = fanOut(2, async (n, ctx) => {
      const ids = n === 0 ? ["a", "b"] : ["b", "a"];
      const records = recordsOf(ctx);
      for (const id of ids) {
        await records.read("counter", id);
        await settle();
      }
      for (const id of ids) await increment(ctx, id);
      return n;
    });
    const { runtime } = machine.open({ flow });

    await runtime.run("flow");

    expect([await countOf(machine.store, "a"), await countOf(machine.store, "b")]).toEqual([2, 2]);
  });

  it("need not wait for a step that waits itself", async () => {
    const machine = new Machine();
    const waits = defineWorkflow("waits")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
        await recordsOf(ctx).read("counter", "visits");
        await ctx.waitForEvent(Poke);
        return new StopEvent({ result: await increment(ctx) });
      })
      .build();
    const { runtime } = machine.open({ waits, counting }, { idleReleaseMs: 1_000_000 });
    const waiting = runtime.run("waits");
    await settle();

    expect(await runtime.run("counting")).toBe(1);
    await waiting.sendEvent(new Poke({ n: 0 }));
    expect(await waiting).toBe(2);
  });

  it("need not wait for ever for one that works for long, and are not lost either", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const slow = defineWorkflow("slow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const value = await increment(ctx);
        await promise;
        return new StopEvent({ result: value });
      })
      .build();
    const { runtime } = machine.open({ slow, counting });
    const first = runtime.run("slow");
    await settle();
    const second = runtime.run("counting");
    await machine.clock.advance(10_000);

    expect(await second).toBe(1);
    open();
    expect(await first).toBe(2);
  });

  it("may be of another process", async () => {
    const machine = new Machine();
    const flow = fanOut(10, (_n, ctx) => increment(ctx));
    const [one, two] = [machine.open({ flow }), machine.open({ flow })];

    await Promise.all([one.runtime.run("flow"), two.runtime.run("flow")]);

    expect(await countOf(machine.store)).toBe(20);
  });

  it("all get through: 200 runs, one record", async () => {
    const store = memoryStore();
    const runtime = createRuntime({ workflows: { counting }, store, log: silent });

    const values = await Promise.all(Array.from({ length: 200 }, () => runtime.run("counting")));

    expect(new Set(values).size).toBe(200);
    expect(await countOf(store)).toBe(200);
    await runtime.stop();
  });
});

describe("a step whose end does not count", () => {
  it("writes nothing when the run is cancelled in the same round, and once when it is resumed", async () => {
    const machine = new Machine();
    const [blocked, first, rest] = [gate(), gate(), gate()];
    let isBlocked = false;
    const store = withMethods(machine.store, {
      async commit(commits) {
        if (isBlocked) await blocked.promise;
        return machine.store.commit(commits);
      },
    });
    const flow = fanOut(2, async (n, ctx) => {
      if (n === 1) return void (await first.promise);
      const value = await increment(ctx);
      await rest.promise;
      return value;
    });
    const { runtime } = machine.open({ flow }, { store });
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    isBlocked = true;
    first.open(undefined);
    await settle();
    // Behind the end of the first step, which is on its way: the cancellation, then the end of the second.
    const cancelled = run.cancel("Enough.");
    await settle();
    rest.open(undefined);
    await settle();
    isBlocked = false;
    blocked.open(undefined);
    await cancelled;
    await rejection(run);
    const afterCancel = await countOf(machine.store);
    await runtime.resume("run");

    expect(afterCancel).toBeNull();
    expect(await countOf(machine.store)).toBe(1);
  });

  it("writes nothing when its run has timed out by then", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const value = await increment(ctx);
        await promise;
        return new StopEvent({ result: value });
      })
      .build();
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow", {}, { timeout: "1s" });
    await settle();
    machine.clock.skip(2_000); // its timers are late
    open();

    expect(await rejection(run)).toMatchObject({ code: "RUN_TIMED_OUT" });
    expect(await countOf(machine.store)).toBeNull();
  });
});
