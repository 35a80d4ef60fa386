/** A process that takes up many runs keeps the leases that it has, however long that takes. */
import { describe, expect, it } from "vitest";
import type { RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "../../src/index.js";
import { Machine, type Process, withMethods } from "../support/processes.js";
import { gate } from "../support/runs.js";
import { settle, type VirtualClock } from "../support/virtual-clock.js";

const LEASE = 300;
const runIds = Array.from({ length: 150 }, (_, index) => `run-${index}`);

/** Steps that are at work until they are let go. */
function holding() {
  const attempts = new Map<string, number>();
  const { promise, open } = gate();
  const flow = defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_start, ctx) => {
      attempts.set(ctx.runId, (attempts.get(ctx.runId) ?? 0) + 1);
      await promise;
      return new StopEvent({ result: ctx.runId });
    })
    .build();
  return { attempts, flows: { flow }, finish: open };
}

/** The same store, at a distance: each call takes as long. Counts how many are on their way at most. */
function distant(store: RunStore, clock: VirtualClock, ms: number) {
  const found = { most: 0, underWay: 0 };
  const later = (): Promise<void> => new Promise((resolve) => void clock.setTimer(clock.now() + ms, resolve));
  const far = new Proxy(store, {
    get(target, name) {
      const member = target[name as keyof RunStore];
      if (typeof member !== "function" || ["hash", "watch", "close"].includes(name as string)) return member;
      const method = (member as (...args: unknown[]) => unknown).bind(target);
      return async (...args: unknown[]) => {
        found.most = Math.max(found.most, ++found.underWay);
        await later();
        found.underWay--;
        return method(...args);
      };
    },
  });
  return { store: far, found };
}

async function leftBehind(flows: ReturnType<typeof holding>["flows"]): Promise<Machine> {
  const machine = new Machine();
  const dying: Process<typeof flows> = machine.open(flows, { leaseMs: LEASE });
  await Promise.all(runIds.map((runId) => dying.runtime.run("flow", {}, { runId }).accepted));
  dying.kill();
  await machine.clock.advance(LEASE + 1);
  return machine;
}

describe("runs of a process that was killed, taken up from a store 2 ms away", () => {
  it("are each begun again once, however much longer than a lease that takes", async () => {
    const { attempts, flows, finish } = holding();
    const machine = await leftBehind(flows);
    const { store, found } = distant(machine.store, machine.clock, 2);
    attempts.clear();
    const next = machine.open(flows, { store, leaseMs: LEASE });

    const started = next.runtime.start();
    await machine.clock.advance(10 * LEASE);
    finish();
    await machine.clock.advance(LEASE);

    expect(await started).toBeLessThanOrEqual(100);
    expect([...attempts.values()]).toEqual(runIds.map(() => 1));
    expect(next.log.lines).toEqual([]);
    expect(found.most).toBeLessThan(20);
    expect(await machine.store.counts({ tenant: "" })).toMatchObject([{ status: "completed", count: runIds.length }]);
  });

  it("are loaded after the process serves, many at once", async () => {
    const { attempts, flows } = holding();
    const machine = await leftBehind(flows);
    const { store } = distant(machine.store, machine.clock, 2);
    attempts.clear();
    const next = machine.open(flows, { store, leaseMs: LEASE });
    let atStart = -1;

    const started = next.runtime.start().then(() => {
      atStart = attempts.size;
    });
    await machine.clock.advance(20);
    await started;
    await machine.clock.advance(LEASE);

    expect(atStart).toBeLessThan(10);
    expect(attempts.size).toBe(runIds.length);
  });
});

describe("the leases of a process", () => {
  it("are renewed while a claim does not come back", async () => {
    const { flows } = holding();
    const machine = new Machine();
    const store = withMethods(machine.store, { claimDue: () => new Promise(() => {}) });
    const { runtime } = machine.open(flows, { store, leaseMs: LEASE });
    await runtime.run("flow", {}, { runId: "one" }).accepted;
    void runtime.start();

    await machine.clock.advance(5 * LEASE);

    expect((await machine.row("one")).lease?.untilMs).toBeGreaterThan(machine.clock.now());
  });

  it("are renewed while it lets its steps finish before it stops", async () => {
    const { flows, finish, attempts } = holding();
    const machine = new Machine();
    const { runtime } = machine.open(flows, { leaseMs: LEASE });
    const run = runtime.run("flow", {}, { runId: "one" });
    await run.accepted;
    const stopped = runtime.stop({ drainMs: 10 * LEASE });
    await machine.open(flows, { leaseMs: LEASE }).runtime.start();

    await machine.clock.advance(5 * LEASE);
    finish();
    await machine.clock.advance(20);
    await stopped;

    expect(attempts.get("one")).toBe(1);
    expect(await machine.row("one")).toMatchObject({ status: "completed" });
  });

  it("begin when a run is stored, and not when it was asked for", async () => {
    const { flows } = holding();
    const machine = new Machine();
    const slow = distant(machine.store, machine.clock, LEASE - 1);
    const store = withMethods(machine.store, { commit: slow.store.commit });
    const { runtime } = machine.open(flows, { store, leaseMs: LEASE });
    const first = runtime.run("flow", {}, { runId: "one" }).accepted;
    await settle();
    const second = runtime.run("flow", {}, { runId: "two" }).accepted;

    await machine.clock.advance(2 * LEASE - 2);
    await Promise.all([first, second]);

    // The second commit waited for the first one.
    expect((await machine.row("two")).lease?.untilMs).toBeGreaterThan(machine.clock.now());
  });

  it("are renewed again soon after the store could not renew them, and not a third of a lease later", async () => {
    const { flows } = holding();
    const machine = new Machine();
    let isDown = true;
    let calls = 0;
    const store = withMethods(machine.store, {
      renew: (lease) => {
        calls++;
        return isDown ? Promise.reject(new Error("The server is down.")) : machine.store.renew(lease);
      },
    });
    const { runtime, log } = machine.open(flows, { store, leaseMs: 30_000 });
    await runtime.run("flow", {}, { runId: "one" }).accepted;

    await machine.clock.advance(12_000);
    isDown = false;
    const tried = calls;
    await machine.clock.advance(1_000);

    expect(tried).toBeGreaterThan(3);
    expect(tried).toBeLessThan(12);
    expect((await machine.row("one")).lease?.untilMs).toBeGreaterThan(machine.clock.now() + 29_000);
    expect(log.errors).toMatchObject([{ message: "The server is down." }]);
  });
});

describe("a start whose store cannot be reached", () => {
  it("fails with what the store says, and the runtime goes on asking", async () => {
    const { attempts, flows } = holding();
    const machine = await leftBehind(flows);
    attempts.clear();
    const error = new WorkflowError({ code: "STORE_UNREACHABLE", message: "No.", hint: "Wait." });
    let isDown = true;
    const store = withMethods(machine.store, {
      claimDue: (lease) => (isDown ? Promise.reject(error) : machine.store.claimDue(lease)),
    });
    const { runtime } = machine.open(flows, { store, leaseMs: LEASE });

    await expect(runtime.start()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    isDown = false;
    await machine.clock.advance(LEASE);

    expect(attempts.size).toBe(runIds.length);
  });
});

describe("an answer to a claim that comes when the run was claimed again", () => {
  it("does not cost the process the run that it has", async () => {
    const { attempts, flows, finish } = holding();
    const machine = await leftBehind(flows);
    attempts.clear();
    const held = gate();
    const store = withMethods(machine.store, {
      async claimDue(lease) {
        const claimed = await machine.store.claimDue(lease);
        await held.promise;
        return claimed;
      },
    });
    const { runtime } = machine.open(flows, { store, leaseMs: LEASE });
    const started = runtime.start();
    await machine.clock.advance(5 * LEASE);
    held.open();
    await started;
    await machine.clock.advance(LEASE);
    finish();
    await settle();

    expect([...attempts.values()]).toEqual(runIds.map(() => 1));
  });
});
