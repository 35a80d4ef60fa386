/** A store that cannot take what it is given, for a while. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { collect, defineWorkflow, ExternalEvent, event, many, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine, state, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", {}) {}

/** Takes nothing while it is full. */
function filling(inner: RunStore = memoryStore()) {
  const disk = { isFull: false, failures: 0, commits: 0, failAt: -1 };
  const store = withMethods(inner, {
    async commit(commits) {
      if (disk.isFull || disk.commits++ === disk.failAt) {
        disk.failures++;
        throw new Error("The disk is full.");
      }
      return inner.commit(commits);
    },
  });
  return { disk, store };
}

function flows() {
  const aborted: boolean[] = [];
  const sum = defineWorkflow("sum", { state: { all: z.array(z.number()).default([]) } })
    .step("start", { on: StartEvent, emits: Item }, () => new Item({ n: 1 }))
    .step("work", { on: Item, waits: Poke, emits: StopEvent }, async ({ n }, ctx) => {
      ctx.signal.addEventListener("abort", () => void aborted.push(true));
      await ctx.store.editState((draft) => void draft.all.push(n));
      const poke = await ctx.waitForEvent(Poke);
      await ctx.store.editState((draft) => void draft.all.push(poke.n));
      return new StopEvent({ result: await ctx.store.get("all") });
    })
    .build();
  return { aborted, flows: { sum } };
}

describe("a store that is full", () => {
  it("refuses a start: accepted and the result say so, and nothing has begun", async () => {
    const { disk, store } = filling();
    const machine = new Machine(store);
    const process = machine.open(flows().flows);
    disk.isFull = true;
    const run = process.runtime.run("sum", {}, { runId: "one" });

    expect((await rejection(run.accepted)).message).toBe("The disk is full.");
    expect((await rejection(run)).message).toBe("The disk is full.");
    disk.isFull = false;
    await machine.clock.advance(60_000);
    expect((await process.runtime.runs()).runs).toEqual([]);
    const again = process.runtime.run("sum", {}, { runId: "one" });
    await again.sendEvent(new Poke({ n: 2 }));
    expect(await again).toEqual([1, 2]);
  });

  it("tells the sender of an event that it could not be stored; sent again, it counts once", async () => {
    const { disk, store } = filling();
    const machine = new Machine(store);
    const { runtime, log } = machine.open(flows().flows);
    const run = runtime.run("sum", {}, { runId: "one" });
    await run.idle();
    await settle();
    disk.isFull = true;
    expect((await rejection(run.sendEvent(new Poke({ n: 2 })))).message).toBe("The disk is full.");
    disk.isFull = false;
    await machine.clock.advance(1_000);
    expect(log.lines.join()).toContain('"one"');
    expect(await state(run)).toBe("pending");
    await run.sendEvent(new Poke({ n: 3 }));

    expect(await run).toEqual([1, 3]);
  });

  it("ends the attempts at work; the run is loaded again once there is room, and ends as ever", async () => {
    const { disk, store } = filling();
    const machine = new Machine(store);
    const { aborted, flows: all } = flows();
    const { runtime } = machine.open(all);
    const run = runtime.run("sum", {}, { runId: "one" });
    await run.idle();
    disk.isFull = true;
    await rejection(run.sendEvent(new Poke({ n: 2 })));
    expect(aborted).toEqual([true]);
    await machine.clock.advance(20_000);
    expect(disk.failures).toBeGreaterThan(1);
    disk.isFull = false;
    await machine.clock.advance(60_000);
    await run.sendEvent(new Poke({ n: 2 }));

    expect(await run).toEqual([1, 2]);
    const numbers = (await historyOf(runtime as never, "one")).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it("for one commit changes nothing about how the run ends, whichever commit it is", async () => {
    const whole = filling();
    const clean = new Machine(whole.store).open(flows().flows).runtime.run("sum", {}, { runId: "one" });
    await clean.sendEvent(new Poke({ n: 2 }));
    await clean;
    await settle();
    expect(whole.disk.commits).toBeGreaterThan(4);

    for (let failAt = 1; failAt < whole.disk.commits; failAt++) {
      const { disk, store } = filling();
      disk.failAt = failAt;
      const machine = new Machine(store);
      const run = machine.open(flows().flows).runtime.run("sum", {}, { runId: "one" });
      await run.accepted;
      let ended = false;
      run.then(() => (ended = true));
      for (let turn = 0; turn < 6 && !ended; turn++) {
        await settle();
        await run.sendEvent(new Poke({ n: 2 })).catch(() => null);
        await machine.clock.advance(1_000);
      }
      expect(disk.failures, `failing commit ${failAt}`).toBe(1);
      expect(await run, `failing commit ${failAt}`).toEqual([1, 2]);
      await machine.clock.advance(60_000);
      expect(await machine.row("one"), `failing commit ${failAt}`).toMatchObject({ status: "completed", lease: null });
    }
  });

  it("leaves the error of a keyed message that could not be kept with its sender", async () => {
    const inner = memoryStore();
    const store = withMethods(inner, { post: () => Promise.reject(new Error("The disk is full.")) });
    const run = new Machine(store).open(flows().flows).runtime.run("sum", {}, { runId: "one" });
    await run.idle();

    expect((await rejection(run.sendEvent(new Poke({ n: 1 }), { key: "k" }))).message).toBe("The disk is full.");
    await run.sendEvent(new Poke({ n: 2 }));
    expect(await run).toEqual([1, 2]);
  });
});

describe("a store that cannot be asked for a while", () => {
  it("is asked again: runs that are due then go on", async () => {
    const inner = memoryStore();
    let isDown = false;
    const claimDue: RunStore["claimDue"] = async (lease) => {
      if (isDown) throw new Error("It is down.");
      return inner.claimDue(lease);
    };
    const machine = new Machine(withMethods(inner, { claimDue }));
    const flow = defineWorkflow("sleeps")
      .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep("1m");
        return new StopEvent({ result: "awake" });
      })
      .build();
    const { runtime, log } = machine.open({ flow }, { idleReleaseMs: 0 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    await machine.clock.advance(0);
    isDown = true;
    await machine.clock.advance(120_000);
    expect(log.lines.length).toBeGreaterThan(0);
    isDown = false;
    await machine.clock.advance(1_000);

    expect(await run).toBe("awake");
  });
});

describe("a store whose answer is lost", () => {
  const reads = ["claim", "claimDue"] as const;

  it.each(reads)("to `%s` leaves the run to nobody for good: its owner finds it among its leases", async (method) => {
    const inner = memoryStore();
    let losing = false;
    const lose = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
      const given = await answer;
      if (!losing) return given;
      losing = false;
      throw new Error("The connection was cut.");
    };
    const store = withMethods(inner, {
      claim: (key, lease) => (method === "claim" ? lose(inner.claim(key, lease)) : inner.claim(key, lease)),
      claimDue: (lease) => (method === "claimDue" ? lose(inner.claimDue(lease)) : inner.claimDue(lease)),
    });
    const machine = new Machine(store);
    const first = machine.open(flows().flows);
    await first.runtime.run("sum", {}, { runId: "one" }).idle();
    await first.runtime.stop();
    const second = machine.open(flows().flows);
    await second.runtime.start();
    losing = true;
    const text = JSON.stringify({ kind: "event", event: { type: "Poke", data: { n: 2 } }, step: null });
    const poke = { idempotencyKey: null, atMs: machine.clock.now(), text };
    if (method === "claimDue") await inner.post({ tenant: "", runId: "one" }, poke);
    else await rejection(second.runtime.handle("one").sendEvent(new Poke({ n: 2 }), { key: "two" }));
    await machine.clock.advance(120_000);

    expect(losing).toBe(false);
    expect(await second.runtime.handle("one")).toEqual([1, 2]);
  });

  it("gives a run back that could neither be loaded nor given back", async () => {
    const inner = memoryStore();
    let hasPartialHistory = false;
    const cut = <Answer>(call: () => Promise<Answer>): Promise<Answer> =>
      hasPartialHistory ? Promise.reject(new Error("The connection was cut.")) : call();
    const store = withMethods(inner, {
      ticks: (key, range) => cut(() => inner.ticks(key, range)),
      commit: (commits) => cut(() => inner.commit(commits)),
    });
    const machine = new Machine(store);
    const first = machine.open(flows().flows);
    await first.runtime.run("sum", {}, { runId: "one" }).idle();
    await first.runtime.stop();
    const second = machine.open(flows().flows);
    await second.runtime.start();
    hasPartialHistory = true;
    await rejection(second.runtime.handle("one").sendEvent(new Poke({ n: 2 }), { key: "two" }));
    hasPartialHistory = false;
    await machine.clock.advance(120_000);

    expect(await second.runtime.handle("one")).toEqual([1, 2]);
  });
});

describe("a store that fails while several edits are on their way", () => {
  it("leaves no timer behind, whichever commit fails: the process can end", async () => {
    for (let failAt = 0; failAt < 6; failAt++) {
      const { disk, store } = filling();
      const machine = new Machine(store);
      const { runtime } = machine.open({ sum: editing() });
      disk.failAt = failAt;
      const run = runtime.run("sum", {}, { runId: "one" });
      run.then(undefined, () => {});
      await settle();
      await runtime.stop();

      expect([failAt, machine.clock.pending]).toEqual([failAt, 0]);
    }
  });
});

/** One step edits its state, others end with an edit, which has to wait for the first. */
function editing() {
  return defineWorkflow("sum", { state: { all: z.array(z.number()).default([]) } })
    .step("start", { on: StartEvent, emits: many(Item) }, () => [1, 2, 3].map((n) => new Item({ n })))
    .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
      if (n === 1) await ctx.store.editState((draft) => void draft.all.push(n));
      return ctx.finish((draft) => {
        draft.all.push(n);
        return new Done();
      });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, (_, ctx) => new StopEvent({ result: ctx.runId }))
    .build();
}
