/** Runs that have ended and go on because somebody asks for it. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  ExternalEvent,
  event,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";
import { historyOf, Machine, state, withMethods } from "../support/processes.js";
import { gate, rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}
class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

/** Fails until its switch is set. */
function flaky() {
  const control = { fails: true, first: 0, retries: [] as number[], gate: Promise.resolve() };
  const flaky = defineWorkflow("flaky")
    .step("first", { on: StartEvent, emits: Item }, () => {
      control.first++;
      return new Item({ n: 1 });
    })
    .step(
      "second",
      {
        on: Item,
        emits: StopEvent,
        waits: Poke,
        retry: retryPolicy({ wait: wait.fixed("1s"), stop: stop.afterAttempts(2) }),
      },
      async (_ev, ctx) => {
        control.retries.push(ctx.retryInfo().retry);
        await control.gate;
        if (control.fails) throw new Error("no luck");
        const { n } = await ctx.waitForEvent(Poke);
        return new StopEvent({ result: n });
      },
    )
    .build();
  return { control, flows: { flaky } };
}

async function failed() {
  const machine = new Machine();
  const { control, flows } = flaky();
  const process = machine.open(flows);
  const lost = process.runtime.run("flaky", {}, { runId: "one" });
  await machine.clock.advance(1_000);
  expect((await rejection(lost)).message).toBe("no luck");
  await settle();
  return { machine, control, flows, process };
}

describe("retrying a failed run", () => {
  it("runs the failed work again with fresh counters, and nothing else", async () => {
    const { control, process } = await failed();
    control.fails = false;
    const again = process.runtime.retry("one");
    await again.accepted;
    await again.sendEvent(new Poke({ n: 5 }));

    expect(await again).toBe(5);
    expect(control).toMatchObject({ first: 1, retries: [0, 1, 0] });
    await settle();
    expect((await process.runtime.runs()).runs[0]).toMatchObject({ status: "completed" });
    expect((await historyOf(process.runtime, "one")).map(({ tick }) => tick.type)).toContain("run.retried");
  });

  it("in another process than the one in which it failed works the same", async () => {
    const { machine, control, flows } = await failed();
    control.fails = false;
    const { runtime } = machine.open(flows);
    const again = runtime.retry("one");
    await again.sendEvent(new Poke({ n: 6 }));

    expect(await again).toBe(6);
    expect(control.retries).toEqual([0, 1, 0]);
  });

  it("can fail again and be retried again", async () => {
    const { machine, control, process } = await failed();
    const second = process.runtime.retry("one");
    await second.accepted;
    await machine.clock.advance(1_000);
    expect((await rejection(second)).message).toBe("no luck");
    await settle();
    control.fails = false;
    const third = process.runtime.retry("one");
    await third.sendEvent(new Poke({ n: 1 }));

    expect(await third).toBe(1);
    expect(control.retries).toEqual([0, 1, 0, 1, 0]);
  });

  it("is no ended run for anybody once it is accepted", async () => {
    const { machine, control, flows, process } = await failed();
    const busy = gate();
    control.gate = busy.promise;
    const there = machine.open(flows).runtime;
    await process.runtime.retry("one").accepted;

    expect(await there.handle("one").summary()).toMatchObject({ status: "running", endedAtMs: null });
    expect(await process.runtime.handle("one").outcome()).toBeNull();
    busy.open();
  });

  it("is no ended run for other processes while it works", async () => {
    const { machine, control, flows, process } = await failed();
    const busy = gate();
    control.gate = busy.promise;
    control.fails = false;
    await process.runtime.retry("one").accepted;
    await settle();
    const there = machine.open(flows).runtime;
    const handle = there.handle("one");

    expect(await state(handle)).toBe("pending");
    expect((await there.runs()).runs[0]).toMatchObject({ status: "running", endedAtMs: null });
    const receipt = handle.sendEvent(new Poke({ n: 9 }));
    busy.open();
    expect(await receipt).toMatchObject({ status: "accepted" });
    expect(await handle).toBe(9);
  });

  it("is taken over by another process when the one that retried it dies at work", async () => {
    const { machine, control, flows, process } = await failed();
    control.gate = new Promise(() => {});
    control.fails = false;
    await process.runtime.retry("one").accepted;
    await settle();
    process.kill();
    control.gate = Promise.resolve();
    await machine.clock.advance(60_000);
    const there = machine.open(flows).runtime;

    expect(await there.start()).toBe(1);
    const handle = there.handle("one");
    await handle.sendEvent(new Poke({ n: 3 }));
    expect(await handle).toBe(3);
  });

  it("does not bring an event that came too late for the run, as its sender was told", async () => {
    const machine = new Machine();
    const { control, flows } = flaky();
    const deaf = withMethods(machine.store, { posts: () => new Promise(() => {}) });
    const owner = machine.open(flows, { store: deaf });
    await owner.runtime.run("flaky", {}, { runId: "one" }).accepted;
    await settle();
    const there = machine.open(flows).runtime;
    const receipt = there.handle("one").sendEvent(new Poke({ n: 66 }));
    await machine.clock.advance(1_000);
    expect(await receipt).toMatchObject({ status: "refused", code: "RUN_FINISHED" });
    control.fails = false;
    const again = there.retry("one");
    await again.accepted;
    expect(await state(again)).toBe("pending");
    await again.sendEvent(new Poke({ n: 1 }));

    expect(await again).toBe(1);
  });

  it("does not bring events whose senders were told that the run has ended", async () => {
    const { machine, control, flows, process } = await failed();
    const refused = await machine
      .open(flows)
      .runtime.handle("one")
      .sendEvent(new Poke({ n: 66 }));
    expect(refused).toMatchObject({ code: "RUN_FINISHED" });
    control.fails = false;
    const again = process.runtime.retry("one");
    await again.accepted;
    await settle();
    expect(await state(again)).toBe("pending");
    await again.sendEvent(new Poke({ n: 1 }));

    expect(await again).toBe(1);
  });
});

describe("what cannot go on", () => {
  async function completed() {
    const machine = new Machine();
    const work = defineWorkflow("work")
      .step("work", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const { runtime } = machine.open({ work });
    await runtime.run("work", {}, { runId: "one" });
    await settle();
    return runtime;
  }

  it("a completed run is neither resumed nor retried", async () => {
    const runtime = await completed();
    const [resumed, retried] = [runtime.resume("one"), runtime.retry("one")];

    expect((await rejection(resumed)).code).toBe("RUN_FINISHED");
    expect((await rejection(resumed.accepted)).code).toBe("RUN_FINISHED");
    expect((await rejection(retried)).code).toBe("RUN_NOT_RETRYABLE");
    expect(await runtime.handle("one")).toBe(1);
  });

  it("a run under way is not retried", async () => {
    const { runtime } = new Machine().open(flaky().flows);
    const run = runtime.run("flaky", {}, { runId: "one" });
    await run.accepted;

    expect((await rejection(runtime.retry("one"))).code).toBe("RUN_NOT_RETRYABLE");
  });

  it("a failed run is not resumed", async () => {
    const { process } = await failed();

    expect((await rejection(process.runtime.resume("one"))).code).toBe("RUN_FINISHED");
  });
});

describe("resuming a cancelled run", () => {
  it.each(["the same process", "another process"])("continues where it was, in %s", async (where) => {
    const machine = new Machine();
    const { control, flows } = flaky();
    control.fails = false;
    const { runtime } = machine.open(flows);
    const run = runtime.run("flaky", {}, { runId: "one" });
    await run.idle();
    await run.cancel("for now");
    await settle();
    const again = (where === "the same process" ? runtime : machine.open(flows).runtime).resume("one");
    await again.accepted;
    expect(await state(again)).toBe("pending");
    await again.sendEvent(new Poke({ n: 4 }));

    expect(await again).toBe(4);
    expect(control.first).toBe(1);
  });

  it("of a run that another process cancelled through its owner does not cancel it again", async () => {
    const machine = new Machine();
    const { control, flows } = flaky();
    control.fails = false;
    const { runtime } = machine.open(flows);
    await runtime.run("flaky", {}, { runId: "one" }).idle();
    const there = machine.open(flows).runtime;
    await there.handle("one").cancel();
    await settle();
    const again = there.resume("one");
    await again.accepted;
    await settle();
    await again.sendEvent(new Poke({ n: 4 }));

    expect(await again).toBe(4);
  });

  it.each([1, 2, 3])(
    "does not cancel it again when its owner died %i commits after the cancel was posted",
    async (more) => {
      const machine = new Machine();
      const { control, flows } = flaky();
      control.fails = false;
      let left = Number.POSITIVE_INFINITY;
      const owner = machine.open(flows, {
        leaseMs: 1_000,
        store: new Proxy(machine.store, {
          get(target, name) {
            const method = target[name as keyof typeof target];
            if (name === "commit" && left-- === 0) queueMicrotask(() => owner.kill());
            return method;
          },
        }),
      });
      await owner.runtime.run("flaky", {}, { runId: "one" }).idle();
      await settle();
      left = more - 1;
      const there = machine.open(flows, { leaseMs: 1_000 }).runtime;
      const cancelled = there.handle("one").cancel();
      await settle();
      await machine.clock.advance(5_000);
      await cancelled;
      await settle();
      const again = there.resume("one");
      await again.accepted;
      await settle();
      expect(await state(again)).toBe("pending");
      await again.sendEvent(new Poke({ n: 4 }));

      expect(await again).toBe(4);
    },
  );
});
