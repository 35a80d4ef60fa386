/** One owner per run, and what becomes of one that was too slow. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, Stalling, state, withMethods } from "../support/processes.js";
import { gate, rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const LEASE = 30_000;
const HOUR = 3_600_000;
const START_MS = new Machine().clock.now();

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

class End extends ExternalEvent.define("End", {}) {}

/** Works until it is let go: each call of the step is one entry. */
function slow() {
  const calls: { readonly goOn: (n: number) => void; aborted: unknown; after: unknown }[] = [];
  const slow = defineWorkflow("slow", { state: { edits: z.number().default(0) } })
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const { promise, open } = gate<number>();
      const call = { goOn: open, aborted: null as unknown, after: "nothing" as unknown };
      ctx.signal.addEventListener("abort", () => {
        call.aborted = ctx.signal.reason;
      });
      calls.push(call);
      const n = await promise;
      try {
        await ctx.store.editState((draft) => void draft.edits++);
        call.after = "edited";
      } catch (error) {
        call.after = error;
        throw error;
      }
      return new StopEvent({ result: [n, await ctx.store.get("edits")] });
    })
    .step("poked", { on: Poke }, () => {})
    .build();
  return { calls, flows: { slow } };
}

describe("the run of a process that has died", () => {
  it("is taken up by one that runs when its lease has run out, and not before", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const dying = machine.open(flows);
    await dying.runtime.run("slow", {}, { runId: "one" }).accepted;
    await settle();
    const there = machine.open(flows).runtime;
    expect(await there.start()).toBe(0);
    dying.kill();
    await machine.clock.advance(LEASE - 1);
    expect(calls).toHaveLength(1);
    await machine.clock.advance(LEASE / 3 + 1);

    expect(calls).toHaveLength(2);
    calls[1]?.goOn(2);
    expect(await there.handle("one")).toEqual([2, 1]);
  });

  it("is taken up by one of many", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const dying = machine.open(flows);
    for (let n = 0; n < 5; n++) await dying.runtime.run("slow", {}, { runId: `run-${n}` }).accepted;
    await settle();
    dying.kill();
    await machine.clock.advance(LEASE);
    const others = [1, 2, 3].map(() => machine.open(flows).runtime);
    const taken = await Promise.all(others.map((runtime) => runtime.start()));

    expect(taken.reduce((sum, count) => sum + count)).toBe(5);
    await settle();
    expect(calls).toHaveLength(10);
  });
});

describe("a lease", () => {
  it("is renewed for as long as the step works", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const run = machine.open(flows).runtime.run("slow", {}, { runId: "one" });
    await run.accepted;
    await machine.open(flows).runtime.start();
    await machine.clock.advance(20 * LEASE);
    expect(calls).toHaveLength(1);
    calls[0]?.goOn(1);

    expect(await run).toEqual([1, 1]);
    expect((await machine.row("one")).epoch).toBe(1);
  });

  it("is renewed in time, and by the new time, after the clock was set back", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const owner = machine.open(flows);
    await owner.runtime.run("slow", {}, { runId: "one" }).accepted;
    await machine.clock.advance(LEASE);

    machine.clock.setBy(-6 * HOUR);
    await machine.clock.advance(LEASE / 3);
    const renewed = (await machine.row("one")).lease?.untilMs;
    await machine.open(flows).runtime.start();
    await machine.clock.advance(20 * LEASE);
    const before = calls.length;
    owner.kill();
    await machine.clock.advance(2 * LEASE);

    expect(renewed).toBe(START_MS - 6 * HOUR + LEASE + LEASE / 3 + LEASE);
    expect([before, calls.length]).toEqual([1, 2]);
  });

  it("is renewed in time where the clock is set back while the store is asked", async () => {
    const machine = new Machine();
    const { flows } = slow();
    let isSet = false;
    const store = withMethods(machine.store, {
      nextWakeAtMs: async (of) => {
        if (isSet) machine.clock.setBy(-6 * HOUR);
        isSet = false;
        return machine.store.nextWakeAtMs(of);
      },
    });
    const { runtime } = machine.open(flows, { store });
    await runtime.run("slow", {}, { runId: "one" }).accepted;
    await machine.clock.advance(LEASE / 3 - 1);
    isSet = true;

    await machine.clock.advance(1);
    const setAtMs = machine.clock.now();
    await machine.clock.advance(LEASE / 3);

    expect(setAtMs).toBeLessThan(START_MS);
    expect((await machine.row("one")).lease?.untilMs).toBe(machine.clock.now() + LEASE);
  });

  it("that one owner loses to another costs the first all that it does from then on", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const stalling = new Stalling(machine.store);
    const owner = machine.open(flows, { store: stalling.store });
    const run = owner.runtime.run("slow", {}, { runId: "one" });
    await run.accepted;
    await settle();
    stalling.stall();
    await machine.clock.advance(LEASE);
    const there = machine.open(flows).runtime;
    expect(await there.start()).toBe(1);
    await settle();
    const before = await machine.dump({ tenant: "", runId: "one" });
    calls[0]?.goOn(1);
    await settle();
    stalling.goOn();
    await machine.clock.advance(0);

    expect(await machine.dump({ tenant: "", runId: "one" })).toEqual(before);
    expect(calls[0]?.aborted).toMatchObject({ code: "ATTEMPT_ENDED" });
    expect(calls[0]?.after).not.toBe("edited");
    expect(await state(run)).toBe("pending");
    calls[1]?.goOn(2);
    expect(await run).toEqual([2, 1]);
    expect(owner.log.errors).toMatchObject([{ code: "RUN_LEASE_LOST" }]);
  });

  it("that is lost while the owner does nothing is noticed at its next renewal", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const stalling = new Stalling(machine.store);
    await machine.open(flows, { store: stalling.store }).runtime.run("slow", {}, { runId: "one" }).accepted;
    await settle();
    stalling.stall();
    await machine.clock.advance(LEASE);
    await machine.open(flows).runtime.start();
    stalling.goOn();
    await machine.clock.advance(LEASE / 3);

    expect(calls).toHaveLength(2);
    expect(calls[0]?.aborted).toMatchObject({ code: "ATTEMPT_ENDED" });
    expect(calls[1]?.aborted).toBeNull();
  });

  it("of a fork that somebody else had in between costs the owner what it still has in memory", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const { runtime } = machine.open(flows);
    const first = runtime.run("slow", {}, { runId: "one" });
    await settle();
    calls[0]?.goOn(1);
    await first;
    await runtime.fork("one", { at: 1, runId: "two" }).accepted;
    await settle();
    const key = { tenant: "", runId: "two" };
    const nowMs = machine.clock.now() + 2 * LEASE;
    const claimed = await machine.store.claim(key, { owner: "other", nowMs, untilMs: nowMs + LEASE });
    await machine.store.commit([{ key, owner: "other", epoch: claimed?.run.epoch ?? -1, release: true }]);

    await runtime.start();
    await settle();

    expect(calls).toHaveLength(3);
    expect(calls[1]?.aborted).toMatchObject({ code: "ATTEMPT_ENDED" });
    calls[2]?.goOn(3);
    expect(await runtime.handle("two")).toEqual([3, 1]);
  });

  it("that has run out and that nobody took is kept by its owner", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const stalling = new Stalling(machine.store);
    const run = machine.open(flows, { store: stalling.store }).runtime.run("slow", {}, { runId: "one" });
    await run.accepted;
    await settle();
    stalling.stall();
    await machine.clock.advance(3 * LEASE);
    stalling.goOn();
    await machine.clock.advance(LEASE / 3);
    calls[0]?.goOn(1);

    expect(await run).toEqual([1, 1]);
    expect(calls).toHaveLength(1);
  });

  it("that is lost takes an event with it only for as long as it takes to bring it to the new owner", async () => {
    const machine = new Machine();
    const poked: number[] = [];
    const pokes = defineWorkflow("pokes")
      .step("start", { on: StartEvent }, () => {})
      .step("poked", { on: Poke, emits: StopEvent }, ({ n }) => {
        poked.push(n);
        return new StopEvent({ result: n });
      })
      .build();
    const stalling = new Stalling(machine.store);
    const run = machine.open({ pokes }, { store: stalling.store }).runtime.run("pokes", {}, { runId: "one" });
    await run.idle();
    await settle();
    stalling.stall();
    const receipt = run.sendEvent(new Poke({ n: 1 }));
    await machine.clock.advance(LEASE);
    const there = machine.open({ pokes }).runtime;
    await there.start();
    stalling.goOn();
    await machine.clock.advance(LEASE / 3);

    expect(await receipt).toMatchObject({ status: "accepted" });
    expect(await run).toBe(1);
    expect(poked).toEqual([1]);
  });
});

describe("a commit that was stored before the lease was lost, and whose answer comes after", () => {
  it("tells the sender of an event that it was taken: nobody sends it again", async () => {
    const machine = new Machine();
    const pokes = defineWorkflow("pokes")
      .step("start", { on: StartEvent }, () => {})
      .step("poked", { on: Poke }, () => {})
      .step("end", { on: End, emits: StopEvent }, () => new StopEvent({ result: "ended" }))
      .build();
    const [answers, renewals] = [new Stalling(machine.store), new Stalling(machine.store)];
    const store = new Proxy(machine.store, {
      get(target, name) {
        if (name === "renew") return renewals.store.renew;
        if (name !== "commit") return target[name as keyof typeof target];
        return async (commits: Parameters<typeof target.commit>[0]) => {
          const results = await target.commit(commits);
          await answers.store.tenants();
          return results;
        };
      },
    });
    const run = machine.open({ pokes }, { store }).runtime.run("pokes", {}, { runId: "one" });
    await run.idle();
    await settle();
    answers.stall();
    renewals.stall();
    const receipt = run.sendEvent(new Poke({ n: 1 }));
    await machine.clock.advance(LEASE);
    const there = machine.open({ pokes }).runtime;
    await there.start();

    renewals.goOn();
    await settle();
    answers.goOn();
    await machine.clock.advance(LEASE / 3);
    expect(await receipt).toMatchObject({ status: "accepted" });
    await there.handle("one").sendEvent(new End());
    expect(await run).toBe("ended");

    const taken: string[] = [];
    for await (const { tick } of there.history("one")) if (tick.type === "event.received") taken.push(tick.event.type);
    expect(taken).toEqual(["Poke", "End"]);
  });
});

describe("a workflow that is not in this process", () => {
  it("does not keep the run from one that has it", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const other = defineWorkflow("other")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const dying = machine.open(flows);
    await dying.runtime.run("slow", {}, { runId: "one" }).accepted;
    dying.kill();
    await machine.clock.advance(LEASE);
    await machine.open({ other }).runtime.start();
    const there = machine.open(flows).runtime;
    await there.start();
    await machine.clock.advance(2 * LEASE);

    expect(calls.length).toBeGreaterThan(0);
    calls.at(-1)?.goOn(1);
    expect(await there.handle("one")).toEqual([1, 1]);
  });

  it("does not make the process ask for the run again and again", async () => {
    const machine = new Machine();
    const { flows } = slow();
    const other = defineWorkflow("other")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const first = machine.open(flows, { idleReleaseMs: 0 });
    const run = first.runtime.run("slow", {}, { runId: "one", startAt: machine.clock.now() + LEASE });
    await run.accepted;
    first.kill();
    await machine.store.post({ tenant: "", runId: "one" }, { idempotencyKey: null, atMs: 0, text: "{}" });
    let claims = 0;
    const counted = new Proxy(machine.store, {
      get(target, name) {
        if (name === "claimDue") claims++;
        return target[name as keyof typeof target];
      },
    });
    await machine.open({ other }, { store: counted }).runtime.start();
    for (let turn = 0; turn < 20; turn++) await settle();

    expect(claims).toBeLessThan(10);
  });

  it("has a handle that says so", async () => {
    const machine = new Machine();
    const { flows } = slow();
    await machine.open(flows).runtime.run("slow", {}, { runId: "one" }).accepted;
    const { other } = {
      other: defineWorkflow("other")
        .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
        .build(),
    };
    const handle = machine.open({ other }).runtime.handle("one");

    expect((await rejection(handle.snapshot())).code).toBe("WORKFLOW_UNKNOWN");
    expect((await rejection(handle.sendEvent(new Poke({ n: 1 })))).code).toBe("WORKFLOW_UNKNOWN");
  });
});
