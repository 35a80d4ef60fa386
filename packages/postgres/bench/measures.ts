import type { RunStore } from "millrace/runtime";
import type pg from "pg";
import { addRuns, type Filled, filled } from "./filled.ts";
import { assertCount, compare, type Found, msOf, part, rateOf } from "./measure.ts";

type Measure = (url: string) => Promise<Found[]>;

const text = JSON.stringify({ ticks: [{ type: "step.completed", step: "a", state: "x".repeat(200) }], at: 1 });
const groupSize = 50;
const owner = "ann";
const key = (number: number) => ({ tenant: "acme", runId: `run-${number}` });

/** One group after the other, over all runs; the store knows them because it has claimed them. */
async function commits(url: string): Promise<Found[]> {
  const runs = 2_000;
  const [ours, bare] = [await filled(url), await filled(url)];
  for (const one of [ours, bare]) await addRuns(one, runs, { owner });
  for (let number = 1; number <= runs; number++)
    await ours.store.claim(key(number), { owner, nowMs: Date.now(), untilMs: Date.now() + 3_600_000 });
  const locked = `WITH input AS (SELECT * FROM unnest($1::bigint[],$2::bigint[],$3::bigint[],$4::bigint[],$5::bigint[],$6::bigint[],$7::text[]) AS i(run,owner,epoch,first,last,at_ms,text)),
    locked AS MATERIALIZED (SELECT r.id, r.owner, r.epoch, r.ticks FROM runs r WHERE r.id = ANY($1::bigint[]) ORDER BY r.id FOR NO KEY UPDATE),
    moved AS (UPDATE runs r SET ticks = i.last, updated_at = greatest(r.updated_at, i.at_ms) FROM input i JOIN locked l ON l.id = i.run AND l.owner = i.owner AND l.epoch = i.epoch AND l.ticks = i.first - 1 WHERE r.id = l.id RETURNING r.id, i.first, i.last, i.at_ms, i.text),
    added AS (INSERT INTO ticks (run, last, first, at_ms, text) SELECT id, last, first, at_ms, text FROM moved) SELECT id FROM moved`;
  const ids = (await bare.bare.query("SELECT id, owner FROM runs ORDER BY created_at")).rows;
  const ticks = { ours: new Int32Array(runs + 1), bare: new Int32Array(runs + 1) };
  const turns = { ours: 0, bare: 0 };
  const group = (of: "ours" | "bare"): number[] => {
    const start = (turns[of]++ * groupSize) % runs;
    return Array.from({ length: groupSize }, (_, index) => start + index + 1);
  };
  const reached = (): Promise<number> =>
    rateOf(async () => {
      const asked = group("ours").map((number) => {
        const tick = (ticks.ours[number] = (ticks.ours[number] ?? 0) + 1);
        return { key: key(number), owner, epoch: 2, ticks: { first: tick, last: tick, atMs: 1, text } };
      });
      const results = await ours.store.commit(asked);
      assertCount("stored", results.filter(({ status }) => status === "stored").length, groupSize);
      return groupSize;
    }, 1);
  const base = (): Promise<number> =>
    rateOf(async () => {
      const numbers = group("bare");
      const next = numbers.map((number) => (ticks.bare[number] = (ticks.bare[number] ?? 0) + 1));
      const row = (number: number) => ids[number - 1];
      const values = [
        numbers.map((number) => row(number).id),
        numbers.map((number) => row(number).owner),
        numbers.map(() => 1),
        next,
        next,
        numbers.map(() => 1),
        numbers.map(() => text),
      ];
      assertCount("moved", (await bare.bare.query({ name: "locked", text: locked, values })).rows.length, groupSize);
      return groupSize;
    }, 1);
  const found = await compare({ reached, base }, 9);
  for (const one of [ours, bare]) await one.close();
  return [
    { name: "`commit` of 50 runs, over the bare statement", unit: "ticks/s", ...found, budget: { atLeast: 0.7 } },
  ];
}

const bareDue = `WITH woken AS (SELECT id, wake_at AS at FROM runs WHERE owner IS NULL AND ended_at IS NULL AND wake_at <= $3 ORDER BY wake_at, id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED),
  posted AS (SELECT id, posted_at AS at FROM runs WHERE owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL AND status <> 'scheduled' ORDER BY posted_at, id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED),
  due AS (SELECT id, min(at) AS at FROM (SELECT * FROM woken UNION ALL SELECT * FROM posted) u GROUP BY id ORDER BY 2, 1 LIMIT $4)
  UPDATE runs r SET owner = $1, lease_until = $2, epoch = epoch + 1 FROM due WHERE r.id = due.id RETURNING r.id, r.tenant, r.run_id, r.epoch`;

async function claims(url: string): Promise<Found[]> {
  const claimers = 8;
  const limit = 32;
  const [ours, bare] = [await filled(url), await filled(url)];
  for (const one of [ours, bare]) await addRuns(one, 100_000, { dueMs: 0 });
  const stores = Array.from({ length: claimers }, () => ours.open());
  const clients: pg.Client[] = [];
  for (let claimer = 0; claimer < claimers; claimer++) clients.push(await bare.connect());
  const nowMs = Date.now();
  const take = (worker: number): Promise<unknown[]> =>
    (stores[worker] as RunStore).claimDue({ owner: `owner-${worker}`, nowMs, untilMs: nowMs + 3_600_000, limit });
  const reached = (): Promise<number> => rateOf(async (worker) => (await take(worker)).length, claimers, 500);
  const base = (): Promise<number> =>
    rateOf(
      async (worker) => {
        const values = [worker + 1, 9e15, nowMs, limit];
        return (await (clients[worker] as pg.Client).query({ name: "due", text: bareDue, values })).rows.length;
      },
      claimers,
      500,
    );
  const found = await compare({ reached, base }, 4);
  const left = Number((await bare.bare.query("SELECT count(*) AS n FROM runs WHERE owner IS NULL")).rows[0].n);
  if (left === 0) throw new TypeError("the bare statement has taken all runs: nothing was measured at the end");
  for (const one of [ours, bare]) await one.close();
  return [
    {
      name: "`claimDue` by 8 at once, 100,000 runs, over the bare statement",
      unit: "runs/s",
      ...found,
      budget: { atLeast: 0.5 },
    },
  ];
}

async function renewals(url: string): Promise<Found[]> {
  const ours = await filled(url);
  await addRuns(ours, 10_000, { owner });
  const read = `SELECT t.name, r.run_id FROM runs r JOIN tenants t ON t.id = r.tenant WHERE r.owner = (SELECT id FROM owners WHERE name = $1)`;
  const reached = (): Promise<number> =>
    msOf(async () => {
      const nowMs = Date.now();
      assertCount("renewed", (await ours.store.renew({ owner, nowMs, untilMs: nowMs + 30_000 })).length, 10_000);
    });
  const base = (): Promise<number> =>
    msOf(async () => void (await ours.bare.query({ name: "r", text: read, values: [owner] })));
  const found = await compare({ reached, base }, 7);
  await ours.close();
  return [{ name: "`renew` of 10,000 runs, over reading their keys", unit: "ms", ...found, budget: { atMost: 3 } }];
}

/** Eight stores commit, groups of ten; eight others watch, or nobody does. */
async function watching(url: string): Promise<Found[]> {
  const size = 8;
  const ours = await filled(url);
  const stores = Array.from({ length: size }, () => ours.open());
  const others = Array.from({ length: size }, () => ours.open());
  const ticks = new Int32Array(size);
  const create = (number: number) => ({
    key: key(number),
    owner,
    epoch: 1,
    create: {
      workflow: "flow",
      input: "{}",
      code: "code",
      createdAtMs: 1,
      startAtMs: 1,
      labels: {},
      forkedFrom: null,
      queue: null,
      lease: { owner, untilMs: 9e12 },
    },
  });
  for (const [worker, store] of stores.entries())
    await store.commit(Array.from({ length: 10 }, (_, index) => create(worker * 10 + index)));
  const commit = async (worker: number): Promise<number> => {
    const tick = (ticks[worker] = (ticks[worker] ?? 0) + 1);
    const group = Array.from({ length: 10 }, (_, index) => ({
      key: key(worker * 10 + index),
      owner,
      epoch: 1,
      ticks: { first: tick, last: tick, atMs: 1, text },
    }));
    await (stores[worker] as RunStore).commit(group);
    return 1;
  };
  let heard = 0;
  const reached = async (): Promise<number> => {
    const stops = others.map((store) => store.watch(() => void heard++));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const rate = await rateOf(commit, size);
    for (const stop of stops) stop();
    return rate;
  };
  const found = await compare({ reached, base: () => rateOf(commit, size) }, 7);
  if (heard === 0) throw new TypeError("nobody heard anything");
  const wakes = await wakeUps(stores[0] as RunStore, others[0] as RunStore);
  await ours.close();
  return [
    { name: "commits of 8 stores while 8 watch, over nobody", unit: "commits/s", ...found, budget: { atLeast: 0.9 } },
    {
      name: "a post until another store hears it, p50",
      unit: "ms",
      reached: part(wakes, 0.5),
      base: null,
      ratio: null,
    },
    {
      name: "a post until another store hears it, p99",
      unit: "ms",
      reached: part(wakes, 0.99),
      base: null,
      ratio: null,
    },
  ];
}

/** From the call of `post` to the call of the listener. */
async function wakeUps(poster: RunStore, watcher: RunStore): Promise<number[]> {
  const taken: number[] = [];
  let hear: (() => void) | null = null;
  const stop = watcher.watch((about) => about?.runId === "run-0" && hear?.());
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (let number = 0; number < 200; number++) {
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const startMs = performance.now();
    await poster.post(key(0), { idempotencyKey: null, atMs: 1, text: "1" });
    await heard;
    taken.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  stop();
  return taken;
}

/** The same calls with 100,000 runs that wait and with 1,000. */
async function stored(url: string): Promise<Found[]> {
  const sizes = [await filled(url), await filled(url)] as const;
  for (const [index, one] of sizes.entries()) {
    await addRuns(one, index === 0 ? 100_000 : 1_000, { dueMs: 1e14 });
    await addRuns(one, 100, { owner: "held" });
  }
  const page = { tenant: "acme", limit: 100 } as const;
  let turn = 0;
  const calls: { readonly [name: string]: (one: Filled) => Promise<unknown> } = {
    "first page of all": ({ store }) => store.list(page),
    "first page of those that wait": ({ store }) => store.list({ ...page, status: ["waiting"] }),
    "an empty round: `posts`, `claimDue`, `nextWakeAtMs`": async ({ store }) => {
      const nowMs = Date.now();
      await store.posts({ owner: "held" });
      assertCount("due", (await store.claimDue({ owner: "o", nowMs, untilMs: nowMs + 1, limit: 100 })).length, 0);
      await store.nextWakeAtMs();
    },
    "recovery: `claimDue` of 100 runs of a dead owner": async ({ store }) => {
      const nowMs = Date.now() + ++turn * 3_600_000;
      // The leases of whoever took them before have run out by then.
      const late = { owner: `next-${turn}`, nowMs: nowMs + 7_200_000, untilMs: nowMs + 7_200_001, limit: 100 };
      assertCount("recovered", (await store.claimDue(late)).length, 100);
    },
  };
  const found: Found[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const numbers = await compare(
      { reached: () => msOf(() => call(sizes[0])), base: () => msOf(() => call(sizes[1])) },
      7,
    );
    found.push({ name: `${name}, 100,000 stored over 1,000`, unit: "ms", ...numbers, budget: { atMost: 1.5 } });
  }
  for (const one of sizes) await one.close();
  return found;
}

export const measures: { readonly [name: string]: Measure } = { commits, claims, renewals, watching, stored };
