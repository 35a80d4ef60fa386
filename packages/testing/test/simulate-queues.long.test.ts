/** Queues and schedules in a simulated cluster, and what it finds where a store breaks their promises. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import type { QueueTicket, RecordWrite, RunStore, StoredRun } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { casesOf } from "../../../test-share.js";
import { type Caller, type ClusterView, type SimulatedProcess, type Simulation, simulate } from "../src/index.js";
import { wrong } from "./wrong-store.js";

class Grain extends StartEvent.define("Grain", { sacks: z.number() }) {}

/** Takes a place for a minute; gives it back in between, where there is much to do. */
const grindOf = (process: SimulatedProcess) =>
  defineWorkflow("grind")
    .step("grind", { on: Grain, emits: StopEvent }, async ({ sacks }, ctx) => {
      await ctx.run("weigh", () => sacks);
      await process.wait("30s");
      if (sacks > 2) await ctx.sleep("5m");
      await process.wait("30s");
      return new StopEvent({ result: sacks });
    })
    .build();

const sweepOf = (process: SimulatedProcess) =>
  defineWorkflow("sweep")
    .step("sweep", { on: StartEvent, emits: StopEvent }, async () => {
      await process.wait("10s");
      return new StopEvent({ result: "swept" });
    })
    .build();

const every = { cron: "*/10 * * * *", workflow: "sweep", queue: "mill", queueKey: "broom" } as const;

/** One key has nearly all of the work; others have one run each. */
async function bring(caller: Caller, number: number): Promise<void> {
  if (number === 0) await caller.setSchedule("sweep", { ...every, overlap: "allow", catchUp: "all" });
  if (number === 0) await caller.setSchedule("tidy", { ...every, queueKey: "rag", overlap: "skip" });
  const queueKey = number % 20 === 19 ? `farmer ${number}` : "estate";
  const options = { runId: `grain-${number}`, queue: "mill", queueKey, priority: number % 3 };
  const run = await caller.start("grind", { sacks: number % 4 }, options);
  expect(await run.result()).toBe(number % 4);
}

const tenMinutes = 600_000;

/** Every ten minutes has one run, from the first to the last. */
async function isSweptThroughout({ store, isOver }: ClusterView): Promise<void> {
  const { runs } = await store.list({ tenant: "", labels: { schedule: "sweep" }, limit: 1_000 });
  const times = runs.map(({ key }) => Date.parse(key.runId.slice("sweep@".length))).sort((one, other) => one - other);
  const [first = 0] = times;
  expect(times).toEqual(times.map((_, index) => first + index * tenMinutes));
  if (isOver) expect(times.length).toBeGreaterThan(5);
}

const mill = (seed: number, more: Partial<Simulation> = {}) =>
  simulate({
    seed,
    workflows: (process) => ({ grind: grindOf(process), sweep: sweepOf(process) }),
    call: bring,
    callers: 120,
    processes: 6,
    time: "1h",
    settle: "6h",
    runtime: {
      leaseMs: 180_000,
      queues: { mill: { concurrency: 3, perKey: { concurrency: 2 }, priority: true } },
    },
    check: isSweptThroughout,
    ...more,
  });

describe("a simulated cluster with queues and schedules", () => {
  const seeds = Array.from({ length: casesOf(20) }, (_, index) => index + 1);

  it.each(seeds)("keeps limits and turns, and misses no occurrence, over faults: seed %i", async (seed) => {
    const { runs, struck } = await mill(seed, { faults: { kills: 6, pauses: 3, clockChanges: 6 } });
    expect(runs).toBe(120);
    expect(struck.kills).toBeGreaterThan(3);
  });

  it("takes the same course with the same seed", async () => {
    const few = { callers: 30, time: "20m", check: () => {} } as const;
    expect(await mill(1, few)).toEqual(await mill(1, few));
  });
});

const withoutFaults = {
  kills: 0,
  stops: 0,
  pauses: 0,
  partitions: 0,
  slowStores: 0,
  lostAnswers: 0,
  clockChanges: 0,
  deployments: 0,
};

/** What the simulation says of it. */
async function found(store: () => RunStore, more: Partial<Simulation> = {}): Promise<string> {
  const played = mill(1, { store, faults: withoutFaults, check: () => {}, callers: 60, time: "20m", ...more });
  return played.then(
    () => "nothing",
    (error: unknown) => (error as Error).message,
  );
}

/** Runs as they were before the store changed their queue. */
function withKeys(runs: readonly StoredRun[], queues: ReadonlyMap<string, QueueTicket | null>): StoredRun[] {
  return runs.map((run) => ({ ...run, queue: queues.get(run.key.runId) ?? run.queue }));
}

describe("what a simulated cluster finds", () => {
  it("nothing in a store that does as it should", async () => {
    expect(await found(wrong(() => ({})))).toBe("nothing");
  });

  it("a store that gives more places than a queue has", async () => {
    const store = wrong((real) => ({
      claimDue: ({ queues = [], ...request }) =>
        real.claimDue({ ...request, queues: queues.map((limits) => ({ ...limits, concurrency: 4 })) }),
    }));
    expect(await found(store)).toContain('Queue "mill" has 3 places, and 4 runs have one.');
  });

  it("a store that gives more places than a key has", async () => {
    const store = wrong((real) => ({
      claimDue: ({ queues = [], ...request }) =>
        real.claimDue({ ...request, queues: queues.map((limits) => ({ ...limits, perKey: null })) }),
    }));
    expect(await found(store)).toContain('Queue "mill" has 2 places for the key "estate", and 3 runs have one.');
  });

  it("a store that serves runs as they arrived, whatever their keys", async () => {
    const store = wrong((real) => {
      const queues = new Map<string, QueueTicket | null>();
      return {
        commit: (commits) =>
          real.commit(
            commits.map((commit) => {
              if (commit.create?.queue == null) return commit;
              queues.set(commit.key.runId, commit.create.queue);
              return {
                ...commit,
                create: { ...commit.create, queue: { ...commit.create.queue, key: "", priority: 0 } },
              };
            }),
          ),
        run: async (key) => {
          const run = await real.run(key);
          return run === null ? null : (withKeys([run], queues)[0] as StoredRun);
        },
        claimDue: async ({ queues: limits = [], ...request }) => {
          const fewer = limits.map((one) => ({ ...one, perKey: null }));
          const claimed = await real.claimDue({ ...request, queues: fewer });
          const runs = withKeys(
            claimed.map(({ run }) => run),
            queues,
          );
          return claimed.map((one, index) => ({ ...one, run: runs[index] as StoredRun }));
        },
      };
    });
    const runtime = { leaseMs: 180_000, queues: { mill: { concurrency: 2, priority: true } } };
    expect(await found(store, { runtime })).toMatch(
      /Queue "mill": the key "(farmer \d+|broom|rag)" waits, and "estate" got 3 places meanwhile/,
    );
  });

  it("a store that lets two processes create the run of one occurrence", async () => {
    const store = wrong((real) => ({
      commit: async (commits) => {
        const results = await real.commit(commits);
        return results.map((result, index) =>
          commits[index]?.create === undefined || result.status === "stored" ? result : { status: "stored" },
        );
      },
    }));
    expect(await found(store)).toMatch(/Run "(sweep|tidy)@[^"]+" was created twice\./);
  });

  it("a schedule that no process looks at", async () => {
    const store = wrong((real) => ({
      records: async (query) => (query.kind.endsWith("due") ? { records: [], cursor: null } : real.records(query)),
    }));
    expect(await found(store, { time: "2h" })).toMatch(/Schedule "sweep" has been due for \d\d:\d\d/);
  });

  it("by a check of its user, a schedule that leaves an occurrence out", async () => {
    const later = ({ text, ...write }: RecordWrite): RecordWrite => {
      if (write.id !== "sweep" || text === null) return { ...write, text };
      const schedule = JSON.parse(text);
      if (new Date(schedule.state.nextAtMs).getUTCMinutes() === 20) schedule.state.nextAtMs += tenMinutes;
      return { ...write, text: JSON.stringify(schedule) };
    };
    const store = wrong((real) => ({
      commit: (commits) =>
        real.commit(commits.map((one) => (one.records ? { ...one, records: one.records.map(later) } : one))),
    }));
    const message = await found(store, { time: "1h", check: isSweptThroughout });
    expect(message).toMatch(/failed at 01:00:00.000:\n {2}AssertionError: expected .* to deeply equal/);
  });
});
