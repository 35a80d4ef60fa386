import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf, keyOf, leaseMs, leaseOf, messageOf, snapshotOf, startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf, released, statusesOf } from "./runs.js";

/** What a run that moves from store to store needs of both. */
export function moveSuite(test: StoreTest): void {
  describe("moving: messages with a key and a receipt", () => listing(test));
  describe("moving: a whole run in one call", () => creating(test));
  describe("moving: a sealed lease", () => sealing(test));
}

const all = { after: 0, limit: 1_000 };

function listing(test: StoreTest): void {
  test.held("lists what has both a key and a receipt, in order", async (store, run, runs) => {
    const first = await runs.post(run.key, messageOf("1", "z"));
    const plain = await runs.post(run.key, messageOf("2"));
    await runs.post(run.key, messageOf("3", "open"));
    const receipts = [first, plain].map((position) => ({ position, receipt: `"${position}"` }));
    await runs.commit(run, { receipts, received: [{ idempotencyKey: "a", receipt: '"came"' }] });

    const listed = await store.received(run.key, all);

    expect(listed.map(({ idempotencyKey, receipt }) => [idempotencyKey, receipt])).toEqual([
      ["z", `"${first}"`],
      ["a", '"came"'],
    ]);
    expect(listed[0]?.position).toBe(first);
  });

  test.held("lists them in pages", async (store, run, runs) => {
    const received = ["a", "b", "c", "d", "e"].map((idempotencyKey) => ({ idempotencyKey, receipt: "1" }));
    await runs.commit(run, { received });

    const first = await store.received(run.key, { after: 0, limit: 2 });
    const rest = await store.received(run.key, { after: first[1]?.position ?? -1, limit: 9 });

    expect([...first, ...rest].map(({ idempotencyKey }) => idempotencyKey)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test.held("lists nothing of other runs, nor of one that there is not", async (store, run, runs) => {
    await runs.create("other");
    await runs.commit(run, { received: [{ idempotencyKey: "a", receipt: "1" }] });

    expect(await store.received(keyOf("other"), all)).toEqual([]);
    expect(await store.received(keyOf("run", "other"), all)).toEqual([]);
    expect(await store.received(keyOf("none"), all)).toEqual([]);
  });
}

function creating(test: StoreTest): void {
  test("creates a run with its messages in order, each under its key", async (store, runs) => {
    const creation = creationOf("run", { owner: null });
    const posts = [messageOf("1"), messageOf("2", "k"), messageOf("3")];
    const received = [{ idempotencyKey: "known", receipt: '"first"' }];

    await runs.commitAll({ ...creation, posts, received });

    const kept = await store.posts(creation.key);
    expect(kept.map(({ text, idempotencyKey }) => [text, idempotencyKey])).toEqual([
      ["1", null],
      ["2", "k"],
      ["3", null],
    ]);
    expect(kept.map(({ position }) => position)).toEqual(
      kept.map(({ position }) => position).toSorted((a, b) => a - b),
    );
    expect(await store.post(creation.key, messageOf("again", "k"))).toMatchObject({
      status: "duplicate",
      receipt: null,
    });
    expect(await store.post(creation.key, messageOf("again", "known"))).toMatchObject({ receipt: '"first"' });
  });

  test("returns the run to whoever asks for what is due, for a message that it brought", async (store, runs) => {
    const creation = creationOf("run");
    const owned = { key: creation.key, owner: "ann", epoch: 1 };
    await runs.commitAll({ ...creation, posts: [messageOf("1", "k")] }, commitOf(owned, released()));

    const [claimed] = await store.claimDue({ ...leaseOf("bob"), limit: 9 });

    expect(claimed?.posts.map(({ text }) => text)).toEqual(["1"]);
  });

  test("takes all commits of a new run in one call, its first ticks pruned", async (store) => {
    const creation = creationOf("run");
    const owned = { key: creation.key, owner: "ann", epoch: 1 };
    const commits = [
      { ...creation, ticks: batchOf(1, 6, "[]") },
      commitOf(owned, { ticks: batchOf(7, 8) }),
      commitOf(owned, { ticks: batchOf(9) }),
      commitOf(owned, { snapshot: snapshotOf(6) }),
      commitOf(owned, { snapshot: snapshotOf(9), events: [eventOf(3)] }),
      commitOf(owned, { prune: { ticks: 6, snapshots: 0 }, ...released(summaryOf("waiting", { wakeAtMs: 7 })) }),
    ];

    expect(statusesOf(await store.commit(commits))).toEqual(commits.map(() => "stored"));

    expect(await store.run(creation.key)).toMatchObject({ status: "waiting", wakeAtMs: 7, ticks: 9, lease: null });
    expect(await store.ticks(creation.key, all)).toEqual([batchOf(7, 8), batchOf(9)]);
    expect(await store.snapshot(creation.key, 8)).toEqual(snapshotOf(6));
    expect(await store.snapshot(creation.key)).toEqual(snapshotOf(9));
  });

  test.held("changes nothing of a run that there is", async (store, run) => {
    const before = await store.run(run.key);
    const owned = { ...run, owner: "mover" };

    const creation = { ...creationOf("run", { owner: "mover" }), posts: [messageOf("1", "k")] };
    const results = await store.commit([creation, commitOf(owned, { ticks: batchOf(1) }), commitOf(owned, released())]);

    expect(statusesOf(results)).toEqual(["exists", "fenced", "fenced"]);
    expect(await store.run(run.key)).toEqual(before);
    expect(await store.posts(run.key)).toEqual([]);
  });
}

function sealing(test: StoreTest): void {
  const never = 253_402_300_799_000;
  const sealOf = (owner: string) => ({
    owner,
    nowMs: startMs,
    untilMs: never,
    ended: true,
    ignoreQueueLimits: true,
    sealed: true,
  });

  test("keeps the run from everybody else, in every connection", async (store, runs) => {
    const { key } = await runs.createWaiting("run", startMs);
    const sealed = await runs.claim(key, sealOf("moved 1"));
    const second = await runs.reopen();
    const lateMs = startMs + 1_000 * leaseMs;

    await store.post(key, messageOf("1"));

    for (const one of [store, second]) {
      expect(await one.claim(key, leaseOf("bob", lateMs))).toBeNull();
      expect(await one.claimDue({ ...leaseOf("bob", lateMs), limit: 9 })).toEqual([]);
      expect(await one.delete([key])).toBe(0);
    }
    expect(await second.claim(key, sealOf("moved 1"))).toMatchObject({ run: { epoch: sealed.epoch + 1 } });
  });

  test("fences who had the run, and ends with a release", async (store, runs) => {
    const run = await runs.createWaiting("run", startMs);
    const sealed = await runs.claim(run.key, sealOf("moved 1"));

    expect(await runs.commitOne(commitOf(run, { ticks: batchOf(1) }))).toEqual({ status: "fenced" });
    await runs.commit(sealed, { release: true });

    expect(await store.claimDue({ ...leaseOf("bob"), limit: 9 })).toHaveLength(1);
  });

  test.ended("takes runs that have ended", async (_store, { key }, runs) => {
    expect((await runs.claim(key, sealOf("moved 1"))).epoch).toBe(2);
  });

  test.waiting("lets its owner delete the run", async (store, { key }, runs) => {
    const other = await runs.createWaiting("other");
    await runs.claim(key, sealOf("moved 1"));
    await runs.claim(other.key, sealOf("moved 2"));

    expect(await store.delete([key, other.key], "moved 1")).toBe(1);

    expect(await store.run(key)).toBeNull();
    expect(await store.run(other.key)).not.toBeNull();
    expect(await store.delete([other.key], "unknown")).toBe(0);
  });
}
