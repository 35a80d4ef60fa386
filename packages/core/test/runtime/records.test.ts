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
        await records.update("counter", "visits", () => ({ at: new Date(0) }));
        seen.push(await records.read("counter", "visits"));
        await records.update("counter", "visits", () => undefined);
        seen.push(await records.read("counter", "visits"));
        seen.push(await records.update("counter", "visits", (current) => current ?? "last"));
        return new StopEvent({ result: null });
      })
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ flow });

    await runtime.run("flow");

    expect(seen).toEqual([null, { version: 1, value: { at: new Date(0) } }, null, "last"]);
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

  it("is told what is wrong with an update, which then changes nothing", async () => {
    const errors: unknown[] = [];
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const records = recordsOf(ctx);
        const updates = [
          () => records.update("counter", "visits", (async () => 1) as never),
          () => records.update("counter", "visits", 1 as never),
          () => records.update("", "visits", () => 1),
          () =>
            records.update("counter", "visits", () => {
              throw new RangeError("There is no seat left.");
            }),
        ];
        for (const update of updates) errors.push(await rejection(update()));
        return new StopEvent({ result: null });
      })
      .build();
    const machine = new Machine();

    await machine.open({ flow }).runtime.run("flow");

    expect(errors).toMatchObject([
      { code: "OPTION_INVALID", message: 'The update of record "visits" of kind "counter" returned a promise.' },
      { code: "OPTION_INVALID" },
      { code: "OPTION_INVALID" },
      { message: "There is no seat left." },
    ]);
    expect(await countOf(machine.store)).toBeNull();
  });

  it("stores an update that it does not await, and fails with one that fails", async () => {
    const machine = new Machine();
    const flow = (change: (count?: number) => number) =>
      defineWorkflow("flow")
        .step("work", { on: StartEvent, emits: StopEvent }, (_ev, ctx) => {
          void recordsOf(ctx).update<number>("counter", "visits", change);
          return new StopEvent({ result: null });
        })
        .build();
    const good = flow((count = 0) => count + 1);
    const bad = flow(() => {
      throw new RangeError("There is no seat left.");
    });
    const { runtime } = machine.open({ good, bad });

    await runtime.run("good");
    const error = await rejection(runtime.run("bad"));

    expect(await countOf(machine.store)).toBe(1);
    expect(error.cause ?? error).toMatchObject({ message: "There is no seat left." });
  });

  it("cannot store what is no data", async () => {
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await recordsOf(ctx).update("counter", "visits", () => ({ log: () => {} }));
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
  it("make the update again with what is stored then, and the step does not run again", async () => {
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

    expect(await run).toEqual([1, 1]);
    expect(seen).toEqual([[1, 0]]);
    expect(await countOf(machine.store)).toBe(11);
    const ticks = (await historyOf(runtime as never, "run")).map(({ tick }) => tick?.type);
    expect(ticks.filter((type) => type === "step.completed" || type === "step.failed")).toEqual(["step.completed"]);
  });

  it("may be deleted, or written again and again: all updates of the step are made in their order", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const calls: unknown[] = [];
    let disturbances = 0;
    const store = withMethods(machine.store, {
      async commit(commits) {
        // Somebody writes after each read, three times.
        if (commits.some(({ records }) => records !== undefined) && disturbances++ < 3) {
          const before = await machine.store.record({ tenant: "", ...counter });
          const text = disturbances === 2 ? null : JSON.stringify({ json: [`other ${disturbances}`] });
          await machine.store.writeRecords([{ tenant: "", ...counter, expected: before?.version ?? 0, text }]);
        }
        return machine.store.commit(commits);
      },
    });
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        for (const name of ["a", "b"])
          await recordsOf(ctx).update<string[]>("counter", "visits", (list = []) => {
            calls.push([name, [...list]]);
            list.push(name); // a copy of its own
            return list;
          });
        await promise;
        return new StopEvent({ result: null });
      })
      .build();
    const run = machine.open({ flow }, { store }).runtime.run("flow");
    await settle();
    open();
    await run;

    expect(await countOf(machine.store)).toEqual(["other 3", "a", "b"]);
    expect(calls).toEqual([
      ["a", []],
      ["b", ["a"]],
      ["a", ["other 1"]],
      ["b", ["other 1", "a"]],
      ["a", []],
      ["b", ["a"]],
      ["a", ["other 3"]],
      ["b", ["other 3", "a"]],
    ]);
  });

  it("may make an update impossible: the step runs again and sees it", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const attempts: unknown[] = [];
    const flow = defineWorkflow("flow")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const taken = await recordsOf(ctx)
          .update<string>("seat", "1", (owner) => {
            if (owner !== undefined) throw new RangeError(`The seat is of ${owner}.`);
            return ctx.runId;
          })
          .catch((error: Error) => error.message);
        attempts.push(taken);
        await promise;
        return new StopEvent({ result: taken });
      })
      .build();
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow", {}, { runId: "ann" });
    await settle();
    await runtime.records.write([{ kind: "seat", id: "1", expected: 0, value: "bob" }]);
    open();
    await machine.clock.advance(60_000);

    expect(await run).toBe("The seat is of bob.");
    expect(attempts).toEqual(["ann", "The seat is of bob."]);
    expect(await runtime.records.read("seat", "1")).toEqual({ version: 1, value: "bob" });
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

    expect(await run).toEqual([1, 1]);
    const ticks = (await historyOf(runtime as never, "run")).map(({ tick }) => tick?.type);
    expect(ticks.filter((type) => type === "step.failed")).toEqual([]);
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

    // What the parent has read before is old by then, so its update reads again.
    expect(await runtime.run("flow")).toEqual([null, 1, 2]);
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
    expect(await first).toBe(1);
    expect(await countOf(machine.store)).toBe(2);
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
