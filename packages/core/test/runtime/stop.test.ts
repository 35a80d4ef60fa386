/** Stopping a runtime: what becomes of its runs, and what it says afterwards. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunHandle, type RunStore } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  resource,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { Machine, promptIds, state, withMethods } from "../support/processes.js";
import { gate, rejection } from "../support/runs.js";
import { refusal } from "../support/stored.js";
import { settle } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}

function slow() {
  const calls: { readonly goOn: (n: number) => void; aborted: boolean }[] = [];
  const slow = defineWorkflow("slow")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const { promise, open } = gate<number>();
      const call = { goOn: open, aborted: false };
      ctx.signal.addEventListener("abort", () => {
        call.aborted = true;
      });
      calls.push(call);
      return new StopEvent({ result: await promise });
    })
    .build();
  return { calls, flows: { slow } };
}

describe("stopping", () => {
  it("tells the sender of an event that was on its way to the store what became of it", async () => {
    const machine = new Machine();
    const poked: number[] = [];
    const pokes = defineWorkflow("pokes")
      .step("start", { on: StartEvent }, () => {})
      .step("poked", { on: Poke, emits: [Item, StopEvent], workers: 1 }, async ({ n }, ctx) => {
        await ctx.run("poke", () => void poked.push(n));
        return n === 0 ? new StopEvent() : new Item({ n });
      })
      .step("item", { on: Item }, () => {})
      .build();
    const here = machine.open({ pokes }).runtime;
    const run = here.run("pokes", {}, { runId: "one" });
    await run.idle();
    const receipt = run.sendEvent(new Poke({ n: 1 })).catch((error: { code: string }) => error.code);
    await here.stop({ drainMs: 0 });
    const there = machine.open({ pokes }).runtime;
    await there.start();
    await settle();

    // Taken once, or refused because of the stop and not taken. Not: RUN_FINISHED for a run that is running.
    const told = await state(receipt);
    expect(told).not.toMatchObject({ value: { code: "RUN_FINISHED" } });
    expect(poked.length > 0).toBe((told as { value: { status?: string } }).value.status === "accepted");
  });

  it("does not take up runs any more that it was just claiming", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const dying = machine.open(flows);
    await dying.runtime.run("slow", {}, { runId: "one" }).accepted;
    await settle();
    dying.kill();
    await machine.clock.advance(30_000);
    const held = gate();
    const late = withMethods(machine.store, {
      async claimDue(lease) {
        const claimed = await machine.store.claimDue(lease);
        await held.promise;
        return claimed;
      },
    });
    const { runtime } = machine.open(flows, { store: late });
    const started = runtime.start();
    await settle();
    const stopped = runtime.stop({ drainMs: 0 });
    held.open();
    await Promise.all([started, stopped]);
    await settle();

    expect(calls).toHaveLength(1);
    expect((await machine.row("one")).lease).toBeNull();
  });

  it("parks running steps, and another process goes on at once", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const here = machine.open(flows).runtime;
    const there = machine.open(flows).runtime;
    await here.run("slow", {}, { runId: "one" }).accepted;
    await there.start();
    await settle();
    await here.stop({ drainMs: 0 });
    await settle();

    expect(calls.map(({ aborted }) => aborted)).toEqual([true, false]);
    calls[1]?.goOn(2);
    expect(await there.handle("one")).toBe(2);
  });

  it("lets steps finish for drainMs", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const { runtime } = machine.open(flows);
    const run = runtime.run("slow", {}, { runId: "one" });
    await run.accepted;
    await settle();
    const stopped = runtime.stop({ drainMs: 5_000 });
    await machine.clock.advance(4_000);
    expect(await state(stopped)).toBe("pending");
    calls[0]?.goOn(1);
    await machine.clock.advance(100);
    await stopped;

    expect(await run).toBe(1);
    expect((await machine.row("one")).status).toBe("completed");
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "soon", {}])(
    "refuses drainMs: %j, and goes on",
    async (drainMs) => {
      const machine = new Machine();
      const { calls, flows } = slow();
      const { runtime } = machine.open(flows);
      const run = runtime.run("slow", {}, { runId: "one" });
      await run.accepted;

      await expect(runtime.stop({ drainMs: drainMs as never })).rejects.toMatchObject({ code: "OPTION_INVALID" });
      await settle();
      calls[0]?.goOn(1);
      expect(await run).toBe(1);
    },
  );

  it("waits no longer than drainMs", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const { runtime } = machine.open(flows);
    await runtime.run("slow", {}, { runId: "one" }).accepted;
    await settle();
    const stopped = runtime.stop({ drainMs: 5_000 });
    await machine.clock.advance(5_000);
    await stopped;

    expect(calls[0]?.aborted).toBe(true);
    expect(await machine.row("one")).toMatchObject({ status: "running", lease: null });
  });

  it("leaves nothing held, whatever the runs were doing", async () => {
    const machine = new Machine();
    const { flows } = slow();
    const waits = defineWorkflow("waits")
      .step("wait", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.waitForEvent(Poke) });
      })
      .build();
    const { runtime } = machine.open({ ...flows, waits });
    await runtime.run("slow", {}, { runId: "busy" }).accepted;
    await runtime.run("waits", {}, { runId: "waiting" }).idle();
    const justStarted = runtime.run("waits", {}, { runId: "new" });
    await runtime.stop({ drainMs: 0 });

    for (const runId of ["busy", "waiting", "new"]) expect((await machine.row(runId)).lease, runId).toBeNull();
    await justStarted.accepted;
  });

  it("takes every use of the runtime that would begin something: RUNTIME_STOPPED", async () => {
    const { flows } = slow();
    const { runtime } = new Machine().open(flows);
    await runtime.stop();
    const uses = [
      () => runtime.run("slow", {}),
      () => runtime.handle("one"),
      () => runtime.resume("one"),
      () => runtime.retry("one"),
      () => runtime.fork("one", { at: 1 }),
      () => runtime.start(),
    ];

    expect(uses.map((use) => refusal(use).code)).toEqual(uses.map(() => "RUNTIME_STOPPED"));
  });

  it("tells everybody who waits for a run that this runtime no longer does", async () => {
    const machine = new Machine();
    const { flows } = slow();
    const { runtime } = machine.open(flows);
    const run = runtime.run("slow", {}, { runId: "one" });
    await run.accepted;
    await settle();
    const waiting = Promise.allSettled([run.then(), run.idle(), run.streamEvents().toArray()]);
    await settle();
    await runtime.stop({ drainMs: 0 });
    const asked = Promise.allSettled([
      run.sendEvent(new Poke({ n: 1 })),
      run.idle(),
      run.cancel(),
      run.streamEvents().toArray(),
    ]);

    const stopped = { status: "rejected", reason: { code: "RUNTIME_STOPPED" } };
    expect(await state(waiting)).toMatchObject({ value: [stopped, stopped, stopped] });
    expect(await state(asked)).toMatchObject({ value: [stopped, stopped, stopped, stopped] });
  });

  it("closes the store also when a resource cannot be disposed of, and tells that", async () => {
    let closed = 0;
    const store = withMethods(memoryStore(), { close: async () => void closed++ });
    const bad = resource("bad", () => 1, { scope: "app", dispose: () => Promise.reject(new Error("It is stuck.")) });
    const flow = defineWorkflow("uses")
      .step("use", { on: StartEvent, emits: StopEvent, resources: { bad } }, () => new StopEvent({ result: 1 }))
      .build();
    const { runtime } = new Machine().open({ flow }, { store });
    await runtime.run("flow", {});

    expect((await rejection(runtime.stop())).message).toBe("It is stuck.");
    expect(closed).toBe(1);
  });

  it("does not fail a step that asks the runtime for something while it stops: it begins again in the next process", async () => {
    const machine = new Machine();
    const { promise, open: goOn } = gate();
    const processes: { handle(runId: string): RunHandle }[] = [];
    const asks = defineWorkflow("asks")
      .step("ask", { on: StartEvent, emits: StopEvent }, async () => {
        await promise;
        return new StopEvent({ result: (await processes.at(-1)?.handle("one").summary())?.status });
      })
      .build();
    const here = machine.open({ asks }).runtime;
    processes.push(here as never);
    await here.run("asks", {}, { runId: "one" }).accepted;
    await settle();
    const stopped = here.stop({ drainMs: 5_000 });
    goOn();
    await machine.clock.advance(20);
    expect(await state(stopped)).toEqual({ value: undefined });
    const there = machine.open({ asks }).runtime;
    processes.push(there as never);
    await there.start();

    expect(await there.handle("one")).toBe("running");
  });

  it("twice is stopping once", async () => {
    let closed = 0;
    const store = withMethods(memoryStore(), { close: async () => void closed++ });
    const { runtime } = new Machine().open(slow().flows, { store });
    await Promise.all([runtime.stop(), runtime.stop()]);
    await runtime.stop();

    expect(closed).toBe(1);
  });
});

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

/** A parent whose child asks. */
function family() {
  const child = defineWorkflow("child")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({}) });
      return new StopEvent({ result: text });
    })
    .build();
  const parent = defineWorkflow("parent", { children: { child } })
    .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild("child", {}) });
    })
    .build();
  return { parent };
}

/** The store of a process; `hold` makes its next call of that name wait, and gives the way to let it go on. */
function holding(machine: Machine) {
  const held = new Map<string, ReturnType<typeof gate<void>>>();
  const waiting =
    <Name extends "commit" | "posts">(name: Name) =>
    async (...args: unknown[]) => {
      await held.get(name)?.promise;
      return (machine.store[name] as (...all: unknown[]) => unknown)(...args);
    };
  // What is posted here is not delivered before what others have posted.
  const post: RunStore["post"] = async (...args) => {
    const posted = await machine.store.post(...args);
    await held.get("posts")?.promise;
    return posted;
  };
  const store = withMethods(machine.store, { commit: waiting("commit"), posts: waiting("posts"), post } as never);
  const hold = (name: "commit" | "posts"): (() => Promise<void>) => {
    const passing = gate<void>();
    held.set(name, passing);
    return async () => {
      if (held.get(name) === passing) held.delete(name);
      passing.open();
      await settle();
    };
  };
  return { store, hold };
}

describe("an answer while the process stops", () => {
  /** Delivered to the child when everything was to be stored by then, and before the run has left memory. */
  async function deliveredLate(from: "here" | "there") {
    const machine = new Machine();
    const { store, hold } = holding(machine);
    const here = machine.open(family(), { store }).runtime;
    const there = machine.open(family()).runtime;
    const run = here.run("parent", {}, { runId: "one" });
    const [promptId = ""] = await promptIds(run as RunHandle);
    await settle();
    const deliver = hold("posts");
    const handle = from === "here" ? run : there.handle("one");
    const told = handle.answer(promptId, { text: "yes" }, { key: "click" });
    told.catch(() => {}); // awaited when all is over
    await settle();
    const storeFirst = hold("commit");
    void here.run("parent", {}, { runId: "two" });
    await settle();
    const stopped = here.stop({ drainMs: 0 });
    await settle();
    const storeSecond = hold("commit");
    await storeFirst();
    await deliver();
    await storeSecond();
    await stopped;
    await there.start();
    return { told, again: () => there.handle("one").answer(promptId, { text: "yes" }, { key: "click" }), there };
  }

  it("to the prompt of a child is no refusal: the next process delivers it, and the key gets its receipt", async () => {
    const { told, again, there } = await deliveredLate("there");

    expect(await told).toMatchObject({ status: "accepted" });
    expect(await again()).toMatchObject({ status: "accepted" });
    expect(await there.handle("one")).toBe("yes");
  });

  it("rejects with RUNTIME_STOPPED where it was given, and counts in the next process", async () => {
    const { told, again, there } = await deliveredLate("here");

    expect((await rejection(told)).code).toBe("RUNTIME_STOPPED");
    expect(await again()).toMatchObject({ status: "accepted" });
    expect(await there.handle("one")).toBe("yes");
  });
});

describe("resources", () => {
  function withResource() {
    const events: string[] = [];
    const scoped = (scope: "app" | "run") =>
      resource(scope, () => void events.push(`${scope} made`), {
        scope,
        dispose: () => void events.push(`${scope} gone`),
      });
    const resources = { app: scoped("app"), run: scoped("run") };
    const flow = defineWorkflow("uses")
      .step("use", { on: StartEvent, emits: StopEvent, waits: Poke, resources }, async (_ev, ctx) => {
        const { n } = await ctx.waitForEvent(Poke);
        return new StopEvent({ result: n });
      })
      .build();
    return { events, flows: { flow } };
  }

  it("of the app live as long as the runtime, those of a run until it leaves memory", async () => {
    const machine = new Machine();
    const { events, flows } = withResource();
    const { runtime } = machine.open(flows, { idleReleaseMs: 0 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    await machine.clock.advance(0);
    expect(events).toEqual(["app made", "run made", "run gone"]);
    await run.sendEvent(new Poke({ n: 1 }));
    expect(await run).toBe(1);
    await settle();
    expect(events).toEqual(["app made", "run made", "run gone", "run made", "run gone"]);
    await runtime.stop();

    expect(events.at(-1)).toBe("app gone");
    expect(events).toHaveLength(6);
  });
});
