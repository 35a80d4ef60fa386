import type { RunCommit, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf, keyOf, leaseMs, leaseOf, messageOf, snapshotOf, startMs, summaryOf } from "./rows.js";
import { type CommitParts, commitOf, creationOf, type HeldRun, type Runs, statusesOf } from "./runs.js";

export function commitSuite(test: StoreTest): void {
  describe("commits: one after the other", () => batches(test));
  describe("commits: fencing of owners", () => fencing(test));
  describe("commits: fencing of ticks", () => following(test));
  describe("commits: what is refused", () => refusing(test));
}

function batches(test: StoreTest): void {
  test("returns nothing for nothing", async (store) => {
    expect(await store.commit([])).toEqual([]);
  });

  test("takes the others of a batch when some are refused", async (store, runs) => {
    const [one, two, three] = [await runs.create("1"), await runs.create("2"), await runs.create("3")];
    const write = { tenant: "acme", kind: "session", id: "s", expected: 3, text: "1" };

    const results = await store.commit([
      commitOf(one, { ticks: batchOf(1) }),
      commitOf({ ...two, epoch: 9 }, { ticks: batchOf(1) }),
      creationOf("3"),
      commitOf(three, { ticks: batchOf(1), records: [write] }),
      commitOf(two, { ticks: batchOf(1) }),
      creationOf("4"),
    ]);

    expect(statusesOf(results)).toEqual(["stored", "fenced", "exists", "conflict", "stored", "stored"]);
    const ticks = await Promise.all(["1", "2", "3", "4"].map(async (id) => (await store.run(keyOf(id)))?.ticks));
    expect(ticks).toEqual([1, 1, 0, 0]);
  });

  test("applies them in order: each sees those before it", async (store, runs) => {
    const run = { key: keyOf("run"), owner: "ann", epoch: 1 };

    await runs.commitAll(
      creationOf("run"),
      commitOf(run, { ticks: batchOf(1, 2) }),
      commitOf(run, { ticks: batchOf(3), summary: summaryOf("waiting") }),
      commitOf(run, { summary: summaryOf("running"), events: [eventOf(0)] }),
    );

    expect(await store.run(run.key)).toMatchObject({ ticks: 3, status: "running", lastEvent: 0 });
  });

  test("takes large batches", async (store, runs) => {
    const creations = Array.from({ length: 300 }, (_, index) => creationOf(`run-${index}`));

    await runs.commitAll(...creations);

    expect((await store.list({ tenant: "acme", limit: 1_000 })).runs).toHaveLength(300);
  });
}

function fencing(test: StoreTest): void {
  const expectFenced = async (runs: Runs, run: Pick<RunCommit, "key" | "owner" | "epoch">): Promise<void> => {
    expect(await runs.commitOne({ ...run, ticks: batchOf(1), summary: summaryOf("failed") })).toEqual({
      status: "fenced",
    });
  };

  test("refuses a run that does not exist, and creates none", async (store, runs) => {
    await expectFenced(runs, { key: keyOf("none"), owner: "ann", epoch: 1 });

    expect(await store.run(keyOf("none"))).toBeNull();
  });

  test("refuses an owner that does not hold the run, and an epoch that is not the run's", async (store, runs) => {
    const run = await runs.create("run");
    const before = await store.run(run.key);

    await expectFenced(runs, { ...run, owner: "bob" });
    await expectFenced(runs, { ...run, owner: null });
    await expectFenced(runs, { ...run, epoch: 0 });
    await expectFenced(runs, { ...run, epoch: 2 });

    expect(await store.run(run.key)).toEqual(before);
  });

  test("refuses every caller when the run has no owner", async (_store, runs) => {
    const { key } = await runs.create("run", { owner: null });

    await expectFenced(runs, { key, owner: null, epoch: 0 });
    await expectFenced(runs, { key, owner: "ann", epoch: 0 });
  });

  test.held("refuses a stale owner once another has claimed the run", async (_store, stale, runs) => {
    const late = leaseOf("bob", startMs + leaseMs);

    const current = await runs.claim(stale.key, late);

    await expectFenced(runs, stale);
    await expectFenced(runs, { ...stale, epoch: current.epoch });
    await expectFenced(runs, { ...current, epoch: stale.epoch });
    await runs.commit(current, { ticks: batchOf(1) });
  });

  test.held("refuses a stale owner once another has taken the run as due", async (store, stale, runs) => {
    await store.claimDue({ ...leaseOf("bob", startMs + leaseMs), limit: 1 });
    await store.renew(leaseOf("ann", startMs + leaseMs));

    await expectFenced(runs, stale);
  });

  test("takes from an owner whose lease has run out while no other owner took the run", async (_store, runs) => {
    const run = await runs.create("run", { untilMs: startMs - 1_000 });

    await runs.commit(run, { ticks: { ...batchOf(1), atMs: startMs + leaseMs } });
  });

  test.held("refuses an owner that comes back with its old epoch", async (_store, first, runs) => {
    const second = await runs.claim(first.key, leaseOf("bob", startMs + leaseMs));
    await runs.commit(second, { release: true });
    const third = await runs.claim(first.key, leaseOf("ann", startMs + leaseMs));

    await expectFenced(runs, first);
    await runs.commit(third, { ticks: batchOf(1) });
  });
}

function following(test: StoreTest): void {
  test.held("takes ticks that follow the last stored one", async (store, run, runs) => {
    await runs.commitAll(commitOf(run, { ticks: batchOf(1, 4) }), commitOf(run, { ticks: batchOf(5) }));
    await runs.commit(run, { ticks: batchOf(6, 7) });

    expect((await store.run(run.key))?.ticks).toBe(7);
  });

  test.held("refuses ticks that leave a gap, repeat the last or overlap it", async (store, run, runs) => {
    await runs.commit(run, { ticks: batchOf(1, 3) });

    const wrong = [batchOf(5), batchOf(3), batchOf(1, 3), batchOf(2, 6)];
    const results = await store.commit(wrong.map((ticks) => commitOf(run, { ticks })));

    expect(statusesOf(results)).toEqual(["fenced", "fenced", "fenced", "fenced"]);
    expect(await store.ticks(run.key, { after: 0, limit: 10 })).toEqual([batchOf(1, 3)]);
  });

  test.held("begins with tick 1", async (store, run) => {
    const results = await store.commit([
      commitOf(run, { ticks: batchOf(0) }),
      commitOf(run, { ticks: batchOf(2) }),
      { ...creationOf("new"), ticks: batchOf(2) },
    ]);

    expect(statusesOf(results)).toEqual(["fenced", "fenced", "fenced"]);
    expect(await store.run(keyOf("new"))).toBeNull();
  });

  test.held("takes a tick once over concurrent connections", async (store, run, runs) => {
    const second = await runs.reopen();

    const results = await Promise.all(
      [store, second, store, second].map((to, index) =>
        to.commit([commitOf(run, { ticks: batchOf(1, 1, `${index}`) })]),
      ),
    );

    expect(statusesOf(results.flat()).sort()).toEqual(["fenced", "fenced", "fenced", "stored"]);
    const stored = results.findIndex(([result]) => result?.status === "stored");
    expect((await store.ticks(run.key, { after: 0, limit: 10 })).map((batch) => batch.text)).toEqual([`${stored}`]);
  });
}

/** One of everything besides ticks and records. */
const everything = (position: number): CommitParts => ({
  events: [eventOf(0)],
  summary: summaryOf("completed", { outcome: "1" }),
  snapshot: snapshotOf(1),
  receipts: [{ position, receipt: "{}" }],
  prune: { ticks: 1, snapshots: 9 },
  release: true,
});

async function expectUnchanged(store: RunStore, run: HeldRun, change: () => Promise<void>): Promise<void> {
  const read = async (): Promise<unknown[]> => [
    await store.run(run.key),
    await store.ticks(run.key, { after: 0, limit: 10 }),
    await store.events(run.key, { after: -1, limit: 10 }),
    await store.snapshot(run.key),
    await store.posts(run.key),
    await store.record({ tenant: "acme", kind: "session", id: "new" }),
  ];
  const before = await read();
  await change();
  expect(await read()).toEqual(before);
}

function refusing(test: StoreTest): void {
  const withPost = test.with(async (runs) => {
    const run = await runs.create("run");
    await runs.commit(run, { ticks: batchOf(1), snapshot: snapshotOf(0) });
    return { run, position: await runs.post(run.key, messageOf("1")) };
  });
  const fresh = { tenant: "acme", kind: "session", id: "new", expected: 0, text: "1" };

  withPost("changes nothing of a run when its ticks do not follow", async (store, { run, position }, runs) => {
    const hash = store.hash("a blob");

    await expectUnchanged(store, run, async () => {
      const parts = { ...everything(position), ticks: batchOf(3), records: [fresh], blobs: [{ hash, text: "a blob" }] };
      expect(await runs.commitOne(commitOf(run, parts))).toEqual({ status: "fenced" });
    });
    expect(await store.blob(hash)).toBeNull();
  });

  withPost("changes nothing of a run for an owner that does not hold it", async (store, { run, position }, runs) => {
    await expectUnchanged(store, run, async () => {
      const parts = { ...everything(position), ticks: batchOf(2), records: [fresh] };
      expect(await runs.commitOne(commitOf({ ...run, owner: "bob" }, parts))).toEqual({ status: "fenced" });
    });
  });

  withPost("changes nothing of a run when one of its records conflicts", async (store, { run, position }, runs) => {
    const stale = { ...fresh, id: "stale", expected: 4 };

    await expectUnchanged(store, run, async () => {
      const parts = { ...everything(position), ticks: batchOf(2), records: [fresh, stale] };
      const conflict = { tenant: "acme", kind: "session", id: "stale" };
      expect(await runs.commitOne(commitOf(run, parts))).toEqual({ status: "conflict", records: [conflict] });
    });
  });

  test("creates no run when one of its records conflicts", async (store, runs) => {
    const result = await runs.commitOne({ ...creationOf("run"), records: [{ ...fresh, expected: 1 }] });

    expect(result.status).toBe("conflict");
    expect(await store.run(keyOf("run"))).toBeNull();
    await runs.commitAll(creationOf("run"));
  });
}
