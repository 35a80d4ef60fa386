import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, keyOf, leaseMs, leaseOf, messageOf, startMs, summaryOf } from "./rows.js";
import { commitOf, released } from "./runs.js";

export function leaseSuite(test: StoreTest): void {
  describe("claiming a run", () => claiming(test));
  describe("renewing leases", () => renewing(test));
  describe("giving leases back", () => releasing(test));
}

function claiming(test: StoreTest): void {
  test("returns a free run with its new lease, its next epoch and the posts that wait for it", async (store, runs) => {
    await runs.create("run", { owner: null });
    await runs.post(keyOf("run"), messageOf('"one"'));
    await runs.post(keyOf("run"), messageOf('"two"'));

    const claimed = await store.claim(keyOf("run"), leaseOf("bob"));

    expect(claimed?.run).toMatchObject({ lease: { owner: "bob", untilMs: startMs + leaseMs }, epoch: 1 });
    expect(claimed?.run).toEqual(await store.run(keyOf("run")));
    expect(claimed?.posts).toEqual(await store.posts(keyOf("run")));
    expect(claimed?.posts.map((post) => post.text)).toEqual(['"one"', '"two"']);
  });

  test("returns no run that does not exist", async (store) => {
    expect(await store.claim(keyOf("none"), leaseOf("bob"))).toBeNull();
  });

  test.held("returns no run that somebody else holds", async (store, run) => {
    const claimed = await store.claim(run.key, leaseOf("bob", startMs + leaseMs - 1));

    expect(claimed).toBeNull();
    expect(await store.run(run.key)).toMatchObject({ lease: { owner: "ann", untilMs: startMs + leaseMs }, epoch: 1 });
  });

  test.held("returns a run at the moment at which the lease of the other runs out", async (store, run) => {
    const claimed = await store.claim(run.key, leaseOf("bob", startMs + leaseMs));

    expect(claimed?.run).toMatchObject({ lease: { owner: "bob" }, epoch: 2 });
  });

  test("returns a run again to the caller who holds it, with a new epoch that fences the old one", async (_store, runs) => {
    const old = await runs.create("run");

    const again = await runs.claim(old.key, leaseOf("ann"));

    expect(again.epoch).toBe(2);
    expect(await runs.commitOne(commitOf(old, { ticks: batchOf(1) }))).toEqual({ status: "fenced" });
    await runs.commit(again, { ticks: batchOf(1) });
  });

  test("returns a scheduled run before its time to the caller who asks for it", async (store, runs) => {
    await runs.create("run", { owner: null, startAtMs: startMs + 1_000 });

    const claimed = await store.claim(keyOf("run"), leaseOf("bob"));

    expect(claimed?.run).toMatchObject({ status: "scheduled", lease: { owner: "bob" } });
  });

  test.ended("returns an ended run only to the caller who asks for ended ones", async (store, { key }) => {
    expect(await store.claim(key, leaseOf("bob"))).toBeNull();
    expect((await store.claim(key, { ...leaseOf("bob"), ended: true }))?.run.status).toBe("completed");
  });

  test.held("returns no ended run that somebody else holds", async (store, run, runs) => {
    await runs.commit(run, { summary: summaryOf("failed") });

    expect(await store.claim(run.key, { ...leaseOf("bob"), ended: true })).toBeNull();
  });

  test("returns a run to one of many who ask at once", async (store, runs) => {
    const second = await runs.reopen();
    await runs.create("run", { owner: null });

    const claims = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((owner, i) => (i % 2 ? store : second).claim(keyOf("run"), leaseOf(owner))),
    );

    const winners = claims.filter((claimed) => claimed !== null);
    expect(winners).toHaveLength(1);
    expect(await store.run(keyOf("run"))).toEqual(winners[0]?.run);
  });
}

function renewing(test: StoreTest): void {
  test("prolongs every lease of the owner and of no other owner", async (store, runs) => {
    await runs.create("one");
    await runs.create("two", { tenant: "other" });
    await runs.create("theirs", { owner: "bob" });
    await runs.create("free", { owner: null });

    const keys = await store.renew(leaseOf("ann", startMs + 10));

    expect(keys.map((key) => key.runId).sort()).toEqual(["one", "two"]);
    expect(keys).toContainEqual(keyOf("two", "other"));
    expect((await store.run(keyOf("one")))?.lease).toEqual({ owner: "ann", untilMs: startMs + 10 + leaseMs });
    expect((await store.run(keyOf("two", "other")))?.lease).toEqual({ owner: "ann", untilMs: startMs + 10 + leaseMs });
    expect((await store.run(keyOf("theirs")))?.lease?.untilMs).toBe(startMs + leaseMs);
    expect((await store.run(keyOf("free")))?.lease).toBeNull();
  });

  test.held("keeps the epoch: what the owner continues to commit is taken", async (store, run, runs) => {
    await store.renew(leaseOf("ann", startMs + 10));

    await runs.commit(run, { ticks: batchOf(1) });
  });

  test.held("keeps a run whose lease has run out and that no owner took", async (store, run, runs) => {
    const lateMs = startMs + 10 * leaseMs;

    const keys = await store.renew(leaseOf("ann", lateMs));

    expect(keys).toEqual([run.key]);
    expect(await store.claim(run.key, leaseOf("bob", lateMs))).toBeNull();
    expect(await store.claimDue({ ...leaseOf("bob", lateMs), limit: 9 })).toEqual([]);
    await runs.commit(run, { ticks: batchOf(1) });
  });

  test.held("does not get a run back that somebody took", async (store, run, runs) => {
    const lateMs = startMs + leaseMs;
    await runs.claim(run.key, leaseOf("bob", lateMs));

    const keys = await store.renew(leaseOf("ann", lateMs + 1));

    expect(keys).toEqual([]);
    expect((await store.run(run.key))?.lease).toEqual({ owner: "bob", untilMs: lateMs + leaseMs });
    expect(await runs.commitOne(commitOf(run, { ticks: batchOf(1) }))).toEqual({ status: "fenced" });
  });

  test.held("returns nothing to the caller who holds nothing", async (store) => {
    expect(await store.renew(leaseOf("bob"))).toEqual([]);
  });

  test("returns the keys of runs that were claimed on the way, and none that were given back", async (store, runs) => {
    const given = await runs.create("given");
    await runs.create("claimed", { owner: null });
    await runs.claim(keyOf("claimed"), leaseOf("ann"));
    await runs.commit(given, released());

    expect(await store.renew(leaseOf("ann"))).toEqual([keyOf("claimed")]);
  });
}

function releasing(test: StoreTest): void {
  test.held("leaves the run without an owner, with the epoch that it had", async (store, run, runs) => {
    await runs.commit(run, { release: true });

    expect(await store.run(run.key)).toMatchObject({ lease: null, epoch: 1 });
  });

  test.held("fences the owner that has released it, also within the same batch", async (store, run, runs) => {
    const results = await store.commit([commitOf(run, released()), commitOf(run, { ticks: batchOf(1) })]);
    const later = await runs.commitOne(commitOf(run, { ticks: batchOf(1) }));

    expect(results).toEqual([{ status: "stored" }, { status: "fenced" }]);
    expect(later).toEqual({ status: "fenced" });
  });

  test.waiting("returns the next owner the next epoch", async (_store, run, runs) => {
    const next = await runs.claim(run.key, leaseOf("bob"));

    expect(next.epoch).toBe(2);
    await runs.commit(next, { ticks: batchOf(1) });
  });

  test.held("stores what comes in the same commit", async (store, run, runs) => {
    await runs.commit(run, { ticks: batchOf(1, 2), ...released() });

    expect(await store.run(run.key)).toMatchObject({ ticks: 2, status: "waiting", lease: null });
  });
}
