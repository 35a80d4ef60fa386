import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import {
  batchOf,
  claimRun,
  commitOf,
  commitOne,
  createEnded,
  createRun,
  createWaiting,
  expectStored,
  keyOf,
  leaseMs,
  leaseOf,
  messageOf,
  postTo,
  released,
  startMs,
  summaryOf,
} from "./runs.js";

export function leaseSuite(test: StoreTest): void {
  describe("claiming a run", () => claiming(test));
  describe("renewing leases", () => renewing(test));
  describe("giving leases back", () => releasing(test));
}

function claiming(test: StoreTest): void {
  test("gives a free run with its new lease, its next epoch and the posts that wait for it", async (store) => {
    await createRun(store, "run", { owner: null });
    await postTo(store, keyOf("run"), messageOf('"one"'));
    await postTo(store, keyOf("run"), messageOf('"two"'));

    const claimed = await store.claim(keyOf("run"), leaseOf("bob"));

    expect(claimed?.run).toMatchObject({ lease: { owner: "bob", untilMs: startMs + leaseMs }, epoch: 1 });
    expect(claimed?.run).toEqual(await store.run(keyOf("run")));
    expect(claimed?.posts).toEqual(await store.posts(keyOf("run")));
    expect(claimed?.posts.map((post) => post.text)).toEqual(['"one"', '"two"']);
  });

  test("gives no run that does not exist", async (store) => {
    expect(await store.claim(keyOf("none"), leaseOf("bob"))).toBeNull();
  });

  test("gives no run that somebody else holds", async (store) => {
    const run = await createRun(store, "run");

    const claimed = await store.claim(run.key, leaseOf("bob", startMs + leaseMs - 1));

    expect(claimed).toBeNull();
    expect(await store.run(run.key)).toMatchObject({ lease: { owner: "ann", untilMs: startMs + leaseMs }, epoch: 1 });
  });

  test("gives a run at the moment at which the lease of the other runs out", async (store) => {
    const run = await createRun(store, "run");

    const claimed = await store.claim(run.key, leaseOf("bob", startMs + leaseMs));

    expect(claimed?.run).toMatchObject({ lease: { owner: "bob" }, epoch: 2 });
  });

  test("gives a run again to who holds it, with a new epoch that fences the old one", async (store) => {
    const old = await createRun(store, "run");

    const again = await claimRun(store, old.key, leaseOf("ann"));

    expect(again.epoch).toBe(2);
    expect(await commitOne(store, commitOf(old, { ticks: batchOf(1) }))).toEqual({ status: "fenced" });
    await expectStored(store, commitOf(again, { ticks: batchOf(1) }));
  });

  test("gives a scheduled run before its time to who asks for it", async (store) => {
    await createRun(store, "run", { owner: null, startAtMs: startMs + 1_000 });

    const claimed = await store.claim(keyOf("run"), leaseOf("bob"));

    expect(claimed?.run).toMatchObject({ status: "scheduled", lease: { owner: "bob" } });
  });

  test("gives an ended run only to who asks for ended ones", async (store) => {
    const { key } = await createEnded(store, "run");

    expect(await store.claim(key, leaseOf("bob"))).toBeNull();
    expect((await store.claim(key, { ...leaseOf("bob"), ended: true }))?.run.status).toBe("completed");
  });

  test("gives no ended run that somebody else holds", async (store) => {
    const run = await createRun(store, "run");
    await expectStored(store, commitOf(run, { summary: summaryOf("failed") }));

    expect(await store.claim(run.key, { ...leaseOf("bob"), ended: true })).toBeNull();
  });

  test("gives a run to one of many who ask at once", async (store, { reopen }) => {
    const second = await reopen();
    await createRun(store, "run", { owner: null });

    const claims = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((owner, i) => (i % 2 ? store : second).claim(keyOf("run"), leaseOf(owner))),
    );

    const winners = claims.filter((claimed) => claimed !== null);
    expect(winners).toHaveLength(1);
    expect(await store.run(keyOf("run"))).toEqual(winners[0]?.run);
  });
}

function renewing(test: StoreTest): void {
  test("prolongs every lease of the owner and of nobody else", async (store) => {
    await createRun(store, "one");
    await createRun(store, "two", { tenant: "other" });
    await createRun(store, "theirs", { owner: "bob" });
    await createRun(store, "free", { owner: null });

    const keys = await store.renew(leaseOf("ann", startMs + 10));

    expect(keys.map((key) => key.runId).sort()).toEqual(["one", "two"]);
    expect(keys).toContainEqual(keyOf("two", "other"));
    expect((await store.run(keyOf("one")))?.lease).toEqual({ owner: "ann", untilMs: startMs + 10 + leaseMs });
    expect((await store.run(keyOf("two", "other")))?.lease).toEqual({ owner: "ann", untilMs: startMs + 10 + leaseMs });
    expect((await store.run(keyOf("theirs")))?.lease?.untilMs).toBe(startMs + leaseMs);
    expect((await store.run(keyOf("free")))?.lease).toBeNull();
  });

  test("keeps the epoch: what the owner goes on to commit is taken", async (store) => {
    const run = await createRun(store, "run");

    await store.renew(leaseOf("ann", startMs + 10));

    await expectStored(store, commitOf(run, { ticks: batchOf(1) }));
  });

  test("keeps a run whose lease has run out and that nobody took", async (store) => {
    const run = await createRun(store, "run");
    const lateMs = startMs + 10 * leaseMs;

    const keys = await store.renew(leaseOf("ann", lateMs));

    expect(keys).toEqual([run.key]);
    expect(await store.claim(run.key, leaseOf("bob", lateMs))).toBeNull();
    expect(await store.claimDue({ ...leaseOf("bob", lateMs), limit: 9 })).toEqual([]);
    await expectStored(store, commitOf(run, { ticks: batchOf(1) }));
  });

  test("does not get a run back that somebody took", async (store) => {
    const run = await createRun(store, "run");
    const lateMs = startMs + leaseMs;
    await claimRun(store, run.key, leaseOf("bob", lateMs));

    const keys = await store.renew(leaseOf("ann", lateMs + 1));

    expect(keys).toEqual([]);
    expect((await store.run(run.key))?.lease).toEqual({ owner: "bob", untilMs: lateMs + leaseMs });
    expect(await commitOne(store, commitOf(run, { ticks: batchOf(1) }))).toEqual({ status: "fenced" });
  });

  test("gives nothing to who holds nothing", async (store) => {
    await createRun(store, "run");

    expect(await store.renew(leaseOf("bob"))).toEqual([]);
  });

  test("gives the keys of runs that were claimed on the way, and none that were given back", async (store) => {
    const given = await createRun(store, "given");
    await createRun(store, "claimed", { owner: null });
    await claimRun(store, keyOf("claimed"), leaseOf("ann"));
    await expectStored(store, commitOf(given, released()));

    expect(await store.renew(leaseOf("ann"))).toEqual([keyOf("claimed")]);
  });
}

function releasing(test: StoreTest): void {
  test("leaves the run to nobody, with the epoch that it had", async (store) => {
    const run = await createRun(store, "run");

    await expectStored(store, commitOf(run, { release: true }));

    expect(await store.run(run.key)).toMatchObject({ lease: null, epoch: 1 });
  });

  test("fences who gave it back, also within the same batch", async (store) => {
    const run = await createRun(store, "run");

    const results = await store.commit([commitOf(run, released()), commitOf(run, { ticks: batchOf(1) })]);
    const later = await commitOne(store, commitOf(run, { ticks: batchOf(1) }));

    expect(results).toEqual([{ status: "stored" }, { status: "fenced" }]);
    expect(later).toEqual({ status: "fenced" });
  });

  test("gives the next owner the next epoch", async (store) => {
    const run = await createWaiting(store, "run");

    const next = await claimRun(store, run.key, leaseOf("bob"));

    expect(next.epoch).toBe(2);
    await expectStored(store, commitOf(next, { ticks: batchOf(1) }));
  });

  test("stores what comes in the same commit", async (store) => {
    const run = await createRun(store, "run");

    await expectStored(store, commitOf(run, { ticks: batchOf(1, 2), ...released() }));

    expect(await store.run(run.key)).toMatchObject({ ticks: 2, status: "waiting", lease: null });
  });
}
