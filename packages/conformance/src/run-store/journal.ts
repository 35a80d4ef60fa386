import type { TickBatch } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, keyOf, snapshotOf } from "./rows.js";
import { commitOf, type HeldRun, type Runs } from "./runs.js";

export function journalSuite(test: StoreTest): void {
  describe("ticks", () => ticks(test));
  describe("snapshots", () => snapshots(test));
  describe("pruning", () => pruning(test));
}

/** Ticks 1–2, 3, 4–6 and 7. */
const batches: readonly TickBatch[] = [batchOf(1, 2), batchOf(3), batchOf(4, 6), batchOf(7)];

async function createJournal(runs: Runs, runId = "run"): Promise<HeldRun> {
  const run = await runs.create(runId);
  await runs.commitAll(...batches.map((batch) => commitOf(run, { ticks: batch })));
  return run;
}

const firstsOf = (read: readonly TickBatch[]): number[] => read.map((batch) => batch.first);

function ticks(test: StoreTest): void {
  const withJournal = test.with(createJournal);

  withJournal("returns them in order and as they were stored", async (store, run) => {
    expect(await store.ticks(run.key, { after: 0, limit: 100 })).toEqual(batches);
  });

  withJournal("returns them from the batch that holds the tick after", async (store, run) => {
    const from = async (after: number) => firstsOf(await store.ticks(run.key, { after, limit: 100 }));

    expect(await from(1)).toEqual([1, 3, 4, 7]);
    expect(await from(2)).toEqual([3, 4, 7]);
    expect(await from(3)).toEqual([4, 7]);
    expect(await from(5)).toEqual([4, 7]);
    expect(await from(6)).toEqual([7]);
    expect(await from(7)).toEqual([]);
    expect(await from(1_000)).toEqual([]);
  });

  withJournal("returns no more batches than the limit", async (store, run) => {
    expect(firstsOf(await store.ticks(run.key, { after: 0, limit: 2 }))).toEqual([1, 3]);
    expect(firstsOf(await store.ticks(run.key, { after: 3, limit: 1 }))).toEqual([4]);
  });

  test("keeps those of each run apart", async (store, runs) => {
    const one = await createJournal(runs, "one");
    const two = await runs.create("two");
    await runs.commit(two, { ticks: batchOf(1, 1, '"two"') });

    expect(await store.ticks(two.key, { after: 0, limit: 9 })).toEqual([batchOf(1, 1, '"two"')]);
    expect(await store.ticks(one.key, { after: 0, limit: 9 })).toEqual(batches);
  });
}

function snapshots(test: StoreTest): void {
  const withSnapshots = test.with(async (runs) => {
    const run = await createJournal(runs);
    await runs.commitAll(commitOf(run, { snapshot: snapshotOf(2) }), commitOf(run, { snapshot: snapshotOf(6) }));
    return run;
  });

  withSnapshots("returns the latest", async (store, run) => {
    expect(await store.snapshot(run.key)).toEqual(snapshotOf(6));
  });

  withSnapshots("returns the latest at or below a tick", async (store, run) => {
    expect(await store.snapshot(run.key, 7)).toEqual(snapshotOf(6));
    expect(await store.snapshot(run.key, 6)).toEqual(snapshotOf(6));
    expect(await store.snapshot(run.key, 5)).toEqual(snapshotOf(2));
    expect(await store.snapshot(run.key, 2)).toEqual(snapshotOf(2));
    expect(await store.snapshot(run.key, 1)).toBeNull();
  });

  test.held("may be of the run before its first tick", async (store, run, runs) => {
    await runs.commit(run, { snapshot: snapshotOf(0) });

    expect(await store.snapshot(run.key, 0)).toEqual(snapshotOf(0));
  });

  withSnapshots("takes one again that is stored already", async (store, run, runs) => {
    await runs.commit(run, { snapshot: snapshotOf(6) });

    expect(await store.snapshot(run.key)).toEqual(snapshotOf(6));
  });

  withSnapshots("returns the latest also when an older one comes later", async (store, run, runs) => {
    await runs.commit(run, { snapshot: snapshotOf(3) });

    expect(await store.snapshot(run.key)).toEqual(snapshotOf(6));
    expect(await store.snapshot(run.key, 4)).toEqual(snapshotOf(3));
  });
}

function pruning(test: StoreTest): void {
  const withJournal = test.with(createJournal);

  test("deletes batches that end at or below a tick, and keeps one that goes beyond it", async (store, runs) => {
    const run = await createJournal(runs);

    await runs.commit(run, { prune: { ticks: 5, snapshots: 0 } });
    const left = firstsOf(await store.ticks(run.key, { after: 0, limit: 9 }));
    await runs.commit(run, { prune: { ticks: 6, snapshots: 0 } });

    expect(left).toEqual([4, 7]);
    expect(firstsOf(await store.ticks(run.key, { after: 0, limit: 9 }))).toEqual([7]);
  });

  withJournal("keeps the number of the last tick: the next one follows it", async (store, run, runs) => {
    await runs.commit(run, { prune: { ticks: 7, snapshots: 0 } });

    expect((await store.run(run.key))?.ticks).toBe(7);
    expect(await store.ticks(run.key, { after: 0, limit: 9 })).toEqual([]);
    await runs.commit(run, { ticks: batchOf(8) });
    expect(firstsOf(await store.ticks(run.key, { after: 7, limit: 9 }))).toEqual([8]);
  });

  withJournal("deletes snapshots below a tick, and keeps the one at it", async (store, run, runs) => {
    await runs.commitAll(...[2, 3, 6].map((tick) => commitOf(run, { snapshot: snapshotOf(tick) })));

    await runs.commit(run, { prune: { ticks: 0, snapshots: 3 } });

    expect(await store.snapshot(run.key, 2)).toBeNull();
    expect(await store.snapshot(run.key, 5)).toEqual(snapshotOf(3));
    expect(await store.snapshot(run.key)).toEqual(snapshotOf(6));
  });

  withJournal("prunes after it has stored what comes in the same commit", async (store, run, runs) => {
    await runs.commit(run, { snapshot: snapshotOf(3) });

    const parts = { ticks: batchOf(8), snapshot: snapshotOf(7), prune: { ticks: 8, snapshots: 7 } };
    await runs.commit(run, parts);

    expect(await store.ticks(run.key, { after: 0, limit: 9 })).toEqual([]);
    expect(await store.snapshot(run.key, 6)).toBeNull();
    expect(await store.snapshot(run.key)).toEqual(snapshotOf(7));
    expect((await store.run(run.key))?.ticks).toBe(8);
  });

  test("prunes one run and no other", async (store, runs) => {
    const run = await createJournal(runs, "one");
    await createJournal(runs, "two");

    await runs.commit(run, { prune: { ticks: 7, snapshots: 7 } });

    expect(await store.ticks(keyOf("two"), { after: 0, limit: 9 })).toEqual(batches);
  });
}
