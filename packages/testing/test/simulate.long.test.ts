import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  wait,
} from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { casesOf } from "../../../test-share.js";
import { type Caller, type SimulatedProcess, type Simulation, simulate } from "../src/index.js";
import { wrong } from "./wrong-store.js";

class Part extends event("Part", { number: z.number() }) {}
class Packed extends event("Packed", { number: z.number() }) {}
class Paid extends HumanResponseEvent.define("Paid", { euros: z.number() }) {}

/** A fan-out with an effect, work that takes time and fails at first, a wait for a person, a sleep. */
const orderOf = (process: SimulatedProcess) =>
  defineWorkflow("order")
    .step("split", { on: StartEvent, emits: many(Part) }, async (_ev, ctx) => {
      await ctx.run("reserve", () => "reserved");
      return [1, 2, 3].map((number) => new Part({ number }));
    })
    .step(
      "pack",
      { on: Part, emits: Packed, retry: retryPolicy({ wait: wait.fixed("30s") }) },
      async ({ number }, ctx) => {
        await process.wait("2s");
        if (number === 2 && ctx.retryInfo().retry === 0) throw new Error("the shelf is empty");
        return new Packed({ number });
      },
    )
    .step("ship", { on: collect(Packed), waits: Paid, emits: StopEvent }, async (parts, ctx) => {
      const { euros } = await ctx.waitForEvent(Paid);
      await ctx.sleep("1h");
      return new StopEvent({ result: `${parts.length} parts for ${euros} euros` });
    })
    .build();

async function buy(caller: Caller, number: number): Promise<void> {
  const run = await caller.start("order", {}, { runId: `order-${number}` });
  await caller.wait("10m");
  const receipt = await run.send(new Paid({ euros: 8 }), "paid");
  expect(receipt.status).toBe("accepted");
  let next = 0;
  if (number % 10 === 0) for await (const { sequence } of run.events()) expect(sequence).toBe(next++);
  expect(await run.result()).toBe("3 parts for 8 euros");
}

const shop = (seed: number, more: Partial<Simulation> = {}) =>
  simulate({
    seed,
    workflows: (process) => ({ order: orderOf(process) }),
    call: buy,
    callers: 50,
    processes: 10,
    runtime: { leaseMs: 300_000 },
    ...more,
  });

describe("a simulated cluster", () => {
  const batches = Array.from({ length: casesOf(20) }, (_, index) => 10 * index + 1);

  it.each(batches)(
    "brings every run to its end, over a day of faults: seeds from %i",
    { timeout: 300_000 },
    async (from) => {
      for (let seed = from; seed < from + 10; seed++) {
        const { runs, struck } = await shop(seed);
        expect(runs).toBe(50);
        expect(struck.kills).toBeGreaterThan(40);
        expect(struck.deployments).toBeGreaterThan(0);
      }
    },
  );

  it("takes the same course with the same seed, and another one with another", async () => {
    const first = await shop(1, { time: "6h" });
    const again = await shop(1, { time: "6h" });
    const other = await shop(2, { time: "6h" });
    expect(again).toEqual(first);
    expect(other.digest).not.toBe(first.digest);
  });

  it("plays without faults, too", async () => {
    const none = { kills: 0, stops: 0, pauses: 0, partitions: 0, slowStores: 0, lostAnswers: 0, clockChanges: 0 };
    const { struck, ticks } = await shop(1, { time: "3h", faults: { ...none, deployments: 0 } });
    expect(Object.values(struck).every((count) => count === 0)).toBe(true);
    expect(ticks).toBeGreaterThan(50 * 10);
  });

  it("counts what the store is asked, without faults and over kills", async () => {
    const none = { kills: 0, stops: 0, pauses: 0, partitions: 0, slowStores: 0, lostAnswers: 0, clockChanges: 0 };
    const short = { time: "3h", runtime: { leaseMs: 60_000 } } as const;
    const calm = await shop(1, { ...short, faults: { ...none, deployments: 0 } });
    // Each of the ten processes, every third of its lease.
    const expected = (10 * calm.elapsedMs) / 20_000;
    expect(calm.renewals).toBeGreaterThan(0.95 * expected);
    expect(calm.renewals).toBeLessThanOrEqual(expected);
    expect(calm.recoveriesMs).toEqual([]);
    // A run comes back to its retry, to its event and to the end of its sleep. News of one that is just leaving is a claim more.
    expect(calm.claims).toBeGreaterThanOrEqual(3 * calm.runs);
    expect(calm.claims).toBeLessThanOrEqual(3.05 * calm.runs);

    const { recoveriesMs } = await shop(1, { ...short, callers: 300, faults: { ...none, deployments: 0, kills: 30 } });
    expect(recoveriesMs.length).toBeGreaterThan(10);
    // The lease was renewed less than a third before the kill, and the others look every third.
    for (const ms of recoveriesMs) {
      expect(ms).toBeGreaterThan(40_000);
      expect(ms).toBeLessThan(80_000);
    }
  });

  it("asks a check after each hour, and once more at the end", async () => {
    const hours: number[] = [];
    const ends: boolean[] = [];
    await shop(3, {
      time: "3h",
      check({ elapsedMs, runs, runtimes, isOver }) {
        if (!isOver) hours.push(elapsedMs / 3_600_000);
        ends.push(isOver);
        expect(runs.length).toBeGreaterThan(0);
        expect(runtimes.length).toBeLessThanOrEqual(10);
      },
    });
    expect(hours).toEqual([1, 2, 3]);
    expect(ends).toEqual([false, false, false, true]);
  });
});

describe("what a simulated cluster finds", () => {
  it("a store that lets an owner write that has lost its lease", async () => {
    const store = wrong((real) => ({
      async commit(commits) {
        const results = await real.commit(commits);
        return results.map((result) => (result.status === "fenced" ? { status: "stored" } : result));
      },
    }));
    const often = { callers: 200, time: "6h", faults: { pauses: 60 }, runtime: { leaseMs: 30_000 } } as const;
    await expect(shop(1, { store, ...often })).rejects.toMatchObject({
      code: "SIMULATION_FAILED",
      message: expect.stringMatching(/seed 1 failed at [\s\S]*(stored tick|wrote in epoch)[\s\S]*What happened last/),
    });
  });

  it("a store that loses a post", async () => {
    const receipt = JSON.stringify({ status: "accepted", sequence: 0 });
    let posts = 0;
    const store = wrong((real) => ({
      post: async (key, message) =>
        ++posts === 5 ? { status: "duplicate", position: 0, receipt } : real.post(key, message),
    }));
    await expect(shop(1, { store, time: "6h" })).rejects.toMatchObject({
      code: "SIMULATION_FAILED",
      message: expect.stringMatching(/Caller \d+ still waits for the result of "order-\d+" from process/),
    });
  });

  it("a store that forgets an event of a stream", async () => {
    const store = wrong((real) => ({
      commit: (commits) =>
        real.commit(
          commits.map((commit) =>
            commit.key.runId === "order-7" ? { ...commit, events: commit.events?.slice(1) ?? [] } : commit,
          ),
        ),
    }));
    await expect(shop(1, { store, time: "3h" })).rejects.toMatchObject({
      code: "SIMULATION_FAILED",
      details: { problems: [expect.stringContaining('The stream of run "order-7"')] },
    });
  });

  it("runs that no process claims", async () => {
    const store = wrong(() => ({ claimDue: async () => [], nextWakeAtMs: async () => null }));
    await expect(shop(1, { store, time: "6h" })).rejects.toMatchObject({
      message: expect.stringMatching(/has been due for \d\d:\d\d/),
    });
  });

  it("processes that never let time pass", async () => {
    const store = wrong(() => ({ claimDue: async () => [] }));
    await expect(shop(1, { store, time: "6h" })).rejects.toMatchObject({
      message: expect.stringContaining("Simulated time does not advance"),
    });
  });

  it("a caller and a check that are told something else than they expect", async () => {
    const call = (): Promise<void> => Promise.reject(new Error("the parcel is empty"));
    await expect(shop(1, { call, time: "1h" })).rejects.toMatchObject({
      message: expect.stringContaining("Caller 0: Error: the parcel is empty"),
    });
    const check = (): void => {
      throw new Error("too many parcels");
    };
    await expect(shop(1, { check, time: "1h" })).rejects.toMatchObject({
      code: "SIMULATION_FAILED",
      message: expect.stringContaining("too many parcels"),
      cause: expect.objectContaining({ message: "too many parcels" }),
    });
  });
});

describe("a simulation that cannot be played", () => {
  it("is refused with everything that is wrong with it", async () => {
    const simulation = { seed: 0.5, callers: -1, procesess: 3, faults: { kill: 2, stops: -1 }, runtime: { clock: {} } };
    await expect(simulate(simulation as never)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: {
        problems: [
          "`procesess` is not an option (did you mean `processes`?)",
          "`seed` is 0.5, not a whole number",
          "`workflows` is not a function",
          "`call` is not a function",
          "`callers` is -1, not a whole number from 0",
          "`faults.kill` is not an option (did you mean `kills`?)",
          "`faults.stops` is -1, not a number from 0 to 1,000",
          "`runtime.clock` is set by the simulation",
        ],
      },
    });
  });
});
