/** Machines whose clocks differ, over a store that has a clock of its own: it gives each machine its times by that machine's clock. */
import { expect, it } from "vitest";
import { createRuntime, type RunStore, type Workflows } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { recordLog, settle, type VirtualClock } from "../support/virtual-clock.js";

const HOUR = 3_600_000;
const IDLE = 1_000;

/** The clock of a machine that is ahead of that of the store by so much. */
const aheadBy = (clock: VirtualClock, byMs: number) => ({
  now: () => clock.now() + byMs,
  setTimer: (atMs: number, wake: () => void) => clock.setTimer(atMs - byMs, wake),
});

/** The store as that machine sees it. */
function seenFrom(store: RunStore, byMs: number): { store: RunStore; claims: () => number } {
  let claims = 0;
  const seen = <Found extends { readonly wakeAtMs: number | null }>(run: Found): Found => ({
    ...run,
    wakeAtMs: run.wakeAtMs === null ? null : run.wakeAtMs + byMs,
  });
  const one = withMethods(store, {
    commit: (commits) =>
      store.commit(
        commits.map((commit) => ({
          ...commit,
          ...(commit.summary !== undefined && { summary: seenBack(commit.summary) }),
          ...(commit.create !== undefined && { create: { ...commit.create, lease: leaseBack(commit.create.lease) } }),
        })),
      ),
    claim: async (key, lease) => {
      claims++;
      const claimed = await store.claim(key, { ...lease, nowMs: lease.nowMs - byMs, untilMs: lease.untilMs - byMs });
      return claimed === null ? null : { ...claimed, run: seen(claimed.run) };
    },
    claimDue: async (lease) => {
      claims++;
      const all = await store.claimDue({ ...lease, nowMs: lease.nowMs - byMs, untilMs: lease.untilMs - byMs });
      if (claims > 1_000) throw new Error("It was claimed without an end.");
      return all.map((claimed) => ({ ...claimed, run: seen(claimed.run) }));
    },
    renew: (lease) => store.renew({ ...lease, untilMs: lease.untilMs - byMs }),
    nextWakeAtMs: async (of) => {
      const atMs = await store.nextWakeAtMs(of);
      return atMs === null ? null : atMs + byMs;
    },
    run: async (key) => {
      const run = await store.run(key);
      return run === null ? null : seen(run);
    },
  });
  return { store: one, claims: () => claims };

  function seenBack<Summary extends { readonly wakeAtMs: number | null }>(summary: Summary): Summary {
    return { ...summary, wakeAtMs: summary.wakeAtMs === null ? null : summary.wakeAtMs - byMs };
  }
  function leaseBack<Lease extends { readonly untilMs: number } | null>(lease: Lease): Lease {
    return lease === null ? lease : { ...lease, untilMs: lease.untilMs - byMs };
  }
}

function open<const Flows extends Workflows>(machine: Machine, workflows: Flows, byMs: number) {
  const { store, claims } = seenFrom(machine.store, byMs);
  const clock = aheadBy(machine.clock, byMs);
  const runtime = createRuntime({ workflows, store, clock, log: recordLog(), idleReleaseMs: IDLE });
  return { runtime, claims };
}

function napping() {
  const woken: string[] = [];
  const nap = defineWorkflow("nap")
    .step("nap", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.sleep(2 * HOUR);
      woken.push("nap");
      return new StopEvent({ result: "awake" });
    })
    .build();
  const parent = defineWorkflow("parent", { children: { nap } })
    .step("starts", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild("nap", {}) });
    })
    .build();
  return { woken, flows: { nap, parent } };
}

it.each([
  ["nap", 0, -HOUR],
  ["nap", 0, HOUR],
  ["nap", HOUR, 0],
  ["nap", HOUR, -HOUR],
  ["parent", 0, -HOUR],
  ["parent", HOUR, -HOUR],
] as const)(
  "%s: a sleep that begins on a machine %i ms ahead is over in time on one %i ms ahead",
  async (name, here, there) => {
    const machine = new Machine();
    const { woken, flows } = napping();
    const first = open(machine, flows, here).runtime;
    await first.run(name, {}, { runId: "one" }).accepted;
    await settle();
    await machine.clock.advance(2 * IDLE);
    await first.stop();

    const { runtime, claims } = open(machine, flows, there);
    await runtime.start();
    await machine.clock.advance(2 * HOUR - 2 * IDLE - 1);
    const before = [...woken];
    await machine.clock.advance(2);
    await machine.clock.advance(IDLE); // it is loaded meanwhile

    expect([before, woken]).toEqual([[], ["nap"]]);
    expect(claims()).toBeLessThan(1_000);
    await runtime.stop();
  },
);

it("begins a run at its time by the clock of the store, and does not ask for it again and again before", async () => {
  const machine = new Machine();
  const { woken, flows } = napping();
  const startAt = machine.clock.now() + HOUR;
  const first = open(machine, flows, 0).runtime;
  await first.run("nap", {}, { runId: "one", startAt }).accepted;
  await first.stop();

  const { runtime } = open(machine, flows, -HOUR);
  await runtime.start();
  await machine.clock.advance(HOUR - 1);
  const before = (await machine.row("one")).status;
  await machine.clock.advance(IDLE);
  const after = (await machine.row("one")).status;
  await machine.clock.advance(2 * HOUR);
  await machine.clock.advance(60_000); // it is loaded meanwhile

  expect([before, after]).toEqual(["scheduled", "waiting"]);
  expect(woken).toEqual(["nap"]);
  await runtime.stop();
});
