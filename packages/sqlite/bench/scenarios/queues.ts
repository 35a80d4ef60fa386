/** Runs of a queue are claimed, against runs of none; and what a place costs where many wait for it, against few. */
import { sqliteStore } from "@millrace/sqlite";
import type { ClaimedRun, QueueLimits, RunCommit, RunStore } from "millrace/runtime";
import { withFile } from "../files.ts";
import { assertCount, compare, type Driver, type Measure, msOf } from "../measure.ts";

const RUNS = 10_000;
const FEW = 100;
const KEYS = 100;
const BATCH = 100;
const ROUNDS = 500;

export const base = "without";

const unlimited: QueueLimits = { name: "llm", concurrency: null, perKey: null, rate: null };

export const measures: readonly Measure[] = [
  {
    name: `claim of ${RUNS} runs of ${KEYS} keys, by ${BATCH}, over runs without a queue`,
    unit: "ms",
    take: (driver) =>
      compare(
        { reached: () => msOfClaims(driver, (index) => keyOf(index)), base: () => msOfClaims(driver, () => null) },
        5,
      ),
  },
  {
    name: `a place given back and taken, ${RUNS} runs of a full key in line, over ${FEW}`,
    unit: "µs",
    budget: { ratioAtMost: 1.5 },
    take: (driver) => compare({ reached: () => usOfPlace(driver, RUNS), base: () => usOfPlace(driver, FEW) }, 5),
  },
];

const keyOf = (index: number): string => `key ${index % KEYS}`;

function creationOf(index: number, key: string | null): RunCommit {
  const times = { createdAtMs: 1_000, startAtMs: 1_000 };
  const queue = key === null ? null : { name: "llm", key, priority: 0 };
  const create = {
    workflow: "flow",
    input: "{}",
    code: "none",
    labels: {},
    forkedFrom: null,
    lease: null,
    queue,
    ...times,
  };
  return { key: { tenant: "", runId: `run ${index}` }, create, owner: null, epoch: 0 };
}

function withStore<Result>(driver: Driver, work: (store: RunStore) => Promise<Result>): Promise<Result> {
  return withFile(async (path) => {
    const store = sqliteStore(path, { driver, durability: "process" });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  });
}

function claim(store: RunStore, limits: QueueLimits, limit: number): Promise<ClaimedRun[]> {
  return store.claimDue({ owner: "bench", nowMs: 2_000, untilMs: 60_000, limit, queues: [limits] });
}

function msOfClaims(driver: Driver, key: (index: number) => string | null): Promise<number> {
  return withStore(driver, async (store) => {
    await store.commit(Array.from({ length: RUNS }, (_, index) => creationOf(index, key(index))));
    let claimed = 0;
    const ms = await msOf(async () => {
      for (let count = BATCH; count === BATCH; claimed += count) count = (await claim(store, unlimited, BATCH)).length;
    });
    assertCount("claimed runs", claimed, RUNS);
    return ms;
  });
}

/** One key has all its places, and that many runs in line; the others take turns for the rest. */
function usOfPlace(driver: Driver, waiting: number): Promise<number> {
  const limits = { ...unlimited, concurrency: 8, perKey: 4 };
  return withStore(driver, async (store) => {
    await store.commit(Array.from({ length: waiting }, (_, index) => creationOf(index, "large")));
    assertCount("places of the full key", (await claim(store, limits, 8)).length, 4);
    await store.commit(Array.from({ length: ROUNDS }, (_, index) => creationOf(RUNS + index, keyOf(index))));
    const held = await claim(store, limits, 8);
    const ms = await msOf(async () => {
      for (let round = 0; round < ROUNDS - 8; round++) {
        const { run } = held.shift() as ClaimedRun;
        const summary = { status: "completed", atMs: 2_000, wakeAtMs: null, outcome: "{}", waiting: null } as const;
        await store.commit([{ key: run.key, owner: "bench", epoch: run.epoch, summary, release: true }]);
        held.push(...(await claim(store, limits, 8)));
      }
    });
    assertCount("held runs", held.length, 4);
    return (1_000 * ms) / (ROUNDS - 8);
  });
}
