/** Runs beside each other: children, limits, clocks that differ. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine, state } from "../support/processes.js";
import { gate } from "../support/runs.js";
import { settle, VirtualClock } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

describe("maxConcurrentRuns", () => {
  function limited() {
    const gates = new Map<string, () => void>();
    const begun: string[] = [];
    const flow = defineWorkflow("limited")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
        const { promise, open } = gate();
        begun.push(ctx.runId);
        gates.set(ctx.runId, open);
        await promise;
        return new StopEvent({ result: ctx.runId });
      })
      .build({ maxConcurrentRuns: 1 });
    return { gates, begun, flows: { flow } };
  }

  it("lets a run be accepted while it waits for its turn", async () => {
    const machine = new Machine();
    const { gates, begun, flows } = limited();
    const { runtime } = machine.open(flows);
    const first = runtime.run("flow", {}, { runId: "one" });
    const second = runtime.run("flow", {}, { runId: "two" });
    await Promise.all([first.accepted, second.accepted]);
    await settle();
    expect(begun).toEqual(["one"]);
    expect(await machine.row("two")).toMatchObject({ ticks: 0, status: "running" });
    gates.get("one")?.();
    expect(await first).toBe("one");
    await settle();
    gates.get("two")?.();

    expect(await second).toBe("two");
  });

  it("loses no run that waits for its turn when the process dies", async () => {
    const machine = new Machine();
    const { gates, begun, flows } = limited();
    const dying = machine.open(flows);
    await dying.runtime.run("flow", {}, { runId: "one" }).accepted;
    await dying.runtime.run("flow", {}, { runId: "two" }).accepted;
    await settle();
    dying.kill();
    await machine.clock.advance(60_000);
    const { runtime } = machine.open(flows);
    await runtime.start();
    for (let turn = 0; turn < 3; turn++) {
      await settle();
      for (const open of gates.values()) open();
    }

    expect(await Promise.all([runtime.handle("one"), runtime.handle("two")])).toEqual(["one", "two"]);
    expect(begun.sort()).toEqual(["one", "one", "two"]);
  });
});

describe("children of a stored run", () => {
  function family() {
    const leaf = defineWorkflow("leaf", { state: { n: z.number().default(0) } })
      .step("wait", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
        const { n } = await ctx.waitForEvent(Poke);
        await ctx.store.set("n", n);
        return new StopEvent({ result: (await ctx.store.get("n")) * 2 });
      })
      .build();
    const branch = defineWorkflow("branch", { children: { leaf } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: ((await ctx.runChild(leaf, {})) as number) + 1 });
      })
      .build();
    const root = defineWorkflow("root", { children: { branch } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: ((await ctx.runChild(branch, {})) as number) * 100 });
      })
      .build();
    return { root };
  }

  it("are kept in its journal, come back with it, and are no runs of their own", async () => {
    const machine = new Machine();
    const dying = machine.open(family());
    await dying.runtime.run("root", {}, { runId: "one" }).idle();
    await settle();
    dying.kill();
    await machine.clock.advance(60_000);
    const { runtime } = machine.open(family());
    const handle = runtime.handle("one");
    await handle.sendEvent(new Poke({ n: 7 }));

    expect(await handle).toBe(1_500);
    await settle();
    expect((await runtime.runs()).runs.map(({ runId }) => runId)).toEqual(["one"]);
    const runs = new Set((await historyOf(runtime as never, "one")).map(({ runId }) => runId));
    expect(runs.size).toBe(3);
  });

  it("are cancelled and resumed with it", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(family());
    const run = runtime.run("root", {}, { runId: "one" });
    await run.idle();
    await run.cancel();
    await settle();
    const again = machine.open(family()).runtime.resume("one");
    await again.accepted;
    await settle();
    await again.sendEvent(new Poke({ n: 1 }));

    expect(await again).toBe(300);
  });
});

describe("processes whose clocks differ", () => {
  it("do not move the time of a run by what they send it", async () => {
    const flow = () =>
      defineWorkflow("sleeps")
        .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
          await ctx.sleep("15s");
          return new StopEvent({ result: "awake" });
        })
        .step("poked", { on: Poke }, () => {})
        .build();
    const machine = new Machine();
    const owner = machine.open({ flow: flow() }, { idleReleaseMs: 60_000 }).runtime;
    const run = owner.run("flow", {}, { runId: "one" });
    await run.idle();
    const ahead = new VirtualClock();
    await ahead.advance(20_000);
    const sender = createRuntime({ workflows: { flow: flow() }, store: machine.store, clock: ahead });
    const receipt = sender.handle("one").sendEvent(new Poke({ n: 1 }), { key: "poke" });
    await settle();
    await machine.clock.advance(10_000);
    expect(await receipt).toMatchObject({ status: "accepted" });
    expect(await state(run)).toBe("pending");
    await machine.clock.advance(5_000);

    expect(await run).toBe("awake");
  });
});

describe("many runs at once", () => {
  it("share the transactions of the store", async () => {
    const machine = new Machine();
    let commits = 0;
    const store = new Proxy(machine.store, {
      get(target, name) {
        if (name === "commit") commits++;
        return target[name as keyof typeof target];
      },
    });
    const flow = defineWorkflow("short")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const { runtime } = machine.open({ flow }, { store });
    const runs = Array.from({ length: 100 }, (_, n) => runtime.run("flow", {}, { runId: `run-${n}` }));

    expect(await Promise.all(runs)).toEqual(runs.map(() => 1));
    await settle();
    expect(commits).toBeLessThan(20);
  });
});
