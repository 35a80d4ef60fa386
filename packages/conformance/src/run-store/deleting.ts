import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf, keyOf, leaseMs, leaseOf, messageOf, snapshotOf, startMs } from "./rows.js";
import { commitOf, creationOf, type HeldRun, type Runs, released } from "./runs.js";

export function deleteSuite(test: StoreTest): void {
  describe("deleting runs", () => deleting(test));
  describe("deleting runs: which go", () => counting(test));
  describe("closing a store", () => closing(test));
}

/** Creates a run that owns one of everything and has no owner. Returns the position of its answered post. */
async function createFull(runs: Runs, runId: string, tenant?: string): Promise<number> {
  const run: HeldRun = await runs.create(runId, tenant === undefined ? {} : { tenant });
  const answered = await runs.post(run.key, messageOf("1", "answered"));
  await runs.post(run.key, messageOf("2", "open"));
  const receipts = [{ position: answered, receipt: "{}" }];
  const parts = { ticks: batchOf(1, 2), events: [eventOf(0)], snapshot: snapshotOf(2), receipts };
  await runs.commit(run, { ...parts, ...released() });
  return answered;
}

function deleting(test: StoreTest): void {
  test("takes everything that the run owned", async (store, runs) => {
    const position = await createFull(runs, "run");
    const key = keyOf("run");

    expect(await store.delete([key])).toBe(1);

    expect(await store.run(key)).toBeNull();
    await runs.expectNothing(key, position);
    expect((await store.list({ tenant: "acme", limit: 9 })).runs).toEqual([]);
    expect(await store.claim(key, leaseOf("bob"))).toBeNull();
    expect(await store.claimDue({ ...leaseOf("bob"), limit: 9 })).toEqual([]);
    expect(await store.nextWakeAtMs()).toBeNull();
    expect(await store.post(key, messageOf("3"))).toEqual({ status: "unknown" });
  });

  test("leaves nothing behind for a run that is created under the same key", async (store, runs) => {
    const position = await createFull(runs, "run");
    await store.delete([keyOf("run")]);

    const run = await runs.create("run", { input: '"new"' });

    expect(await store.run(run.key)).toMatchObject({ input: '"new"', ticks: 0, lastEvent: -1, epoch: 1 });
    await runs.expectNothing(run.key, position);
    await runs.commit(run, { ticks: batchOf(1), events: [eventOf(0)] });
  });

  test("leaves every other run as it is", async (store, runs) => {
    await createFull(runs, "gone");
    const position = await createFull(runs, "stays");
    await createFull(runs, "gone", "other");
    const before = await store.run(keyOf("stays"));

    await store.delete([keyOf("gone")]);

    expect(await store.run(keyOf("stays"))).toEqual(before);
    expect(await store.ticks(keyOf("stays"), { after: 0, limit: 9 })).toEqual([batchOf(1, 2)]);
    expect(await store.events(keyOf("stays"), { after: -1, limit: 9 })).toEqual([eventOf(0)]);
    expect(await store.snapshot(keyOf("stays"))).toEqual(snapshotOf(2));
    expect(await store.receipt(keyOf("stays"), position)).toBe("{}");
    expect(await store.posts(keyOf("stays"))).toHaveLength(1);
    expect(await store.posts(keyOf("gone", "other"))).toHaveLength(1);
    expect(await store.ticks(keyOf("gone", "other"), { after: 0, limit: 9 })).toHaveLength(1);
  });
}

function counting(test: StoreTest): void {
  test("counts what was deleted: not unknown keys, nor a key that is named twice", async (store, runs) => {
    await runs.createEnded("one");
    await runs.createWaiting("two");

    const count = await store.delete([keyOf("one"), keyOf("none"), keyOf("two"), keyOf("one")]);

    expect(count).toBe(2);
    expect(await store.delete([])).toBe(0);
  });

  test("leaves a run that somebody holds, live or ended, its lease run out or not", async (store, runs) => {
    await runs.create("held");
    await runs.create("late", { untilMs: startMs - leaseMs });
    const { key } = await runs.createEnded("ended");
    await store.claim(key, { ...leaseOf("bob"), ended: true });

    expect(await store.delete([keyOf("held"), keyOf("late"), key])).toBe(0);

    expect(await store.run(keyOf("held"))).not.toBeNull();
    expect(await store.run(keyOf("late"))).not.toBeNull();
    expect(await store.run(key)).not.toBeNull();
  });

  // OptimalBits/bull#282, veryfront/veryfront-code#4354: what is cleaned away may have been retried since it was listed.
  test("takes only runs that ended before a time, where one is given", async (store, runs) => {
    await runs.createEnded("old");
    await runs.createEnded("named");
    await runs.createWaiting("waiting");
    const { endedAtMs } = (await store.run(keyOf("old"))) ?? {};
    const keys = [keyOf("old"), keyOf("waiting")];

    expect(await store.delete(keys, undefined, endedAtMs as number)).toBe(0);
    expect(await store.delete(keys, undefined, (endedAtMs as number) + 1)).toBe(1);

    expect(await store.run(keyOf("waiting"))).not.toBeNull();
    expect(await store.run(keyOf("named"))).not.toBeNull();
  });

  test("takes many at once", async (store, runs) => {
    const ids = Array.from({ length: 1_200 }, (_, index) => `run-${index}`);
    await runs.commitAll(...ids.map((id) => creationOf(id, { owner: null })));

    expect(await store.delete(ids.map((id) => keyOf(id)))).toBe(1_200);
    expect((await store.list({ tenant: "acme", limit: 9 })).runs).toEqual([]);
  });

  test.waiting("fences who held the run before", async (store, run, runs) => {
    await store.delete([run.key]);
    await runs.create("run", { owner: null });

    expect(await runs.commitOne(commitOf(run, { ticks: batchOf(1) }))).toEqual({ status: "fenced" });
  });
}

function closing(test: StoreTest): void {
  test("keeps the data, and other connections open", async (store, runs) => {
    await createFull(runs, "run");
    const second = await runs.reopen();

    await second.close();
    const third = await runs.reopen();

    expect(await third.run(keyOf("run"))).toEqual(await store.run(keyOf("run")));
    await runs.create("another");
    expect(await third.run(keyOf("another"))).not.toBeNull();
  });

  test("may be done twice", async (_store, runs) => {
    const second = await runs.reopen();

    await second.close();

    await expect(second.close()).resolves.toBeUndefined();
  });
}
