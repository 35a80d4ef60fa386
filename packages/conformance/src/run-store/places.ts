/** Places of a queue: how many, how often, for whom, and until when. */
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { claimDue, enqueue, enqueueAll, heldOf, idsOf, limitsOf, releaseRun, take } from "./queued-runs.js";
import { keyOf, leaseMs, leaseOf, startMs, summaryOf } from "./rows.js";

export function placeSuite(test: StoreTest): void {
  describe("places of a queue: how many", () => limited(test));
  describe("places of a queue: how often", () => paced(test));
  describe("places of a queue: who is next", () => inTurn(test));
  describe("places of a queue: given back", () => givenBack(test));
  describe("places of a queue: given back where a process is lost", () => lost(test));
}

function limited(test: StoreTest): void {
  test("no more runs have a place than the queue allows, whoever asks", async (store, runs) => {
    const second = await runs.reopen();
    await enqueueAll(runs, "q", 5);
    const limits = limitsOf({ concurrency: 3 });

    expect(await take(store, limits, { limit: 2 })).toEqual(["q0", "q1"]);
    expect(await take(second, limits, { owner: "other" })).toEqual(["q2"]);
    expect(await take(store, limits)).toEqual([]);
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBeNull();
  });

  test("no more runs of one key have a place than each key may have", async (store, runs) => {
    await enqueueAll(runs, "a", 4);
    await enqueueAll(runs, "b", 1);
    const limits = limitsOf({ perKey: 2 });

    expect(await take(store, limits)).toEqual(["a0", "b0", "a1"]);
    expect(await take(store, limits)).toEqual([]);
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBeNull();
  });

  test("each queue has its own limits", async (store, runs) => {
    await enqueueAll(runs, "a", 2);
    await enqueue(runs, "m0", { name: "mail", key: "a" });
    await enqueue(runs, "m1", { name: "mail", key: "a" });
    const queues = [limitsOf({ concurrency: 1 }), limitsOf({ name: "mail", perKey: 1 })];

    expect(idsOf(await claimDue(store, { queues }))).toEqual(["a0", "m0"]);
    expect(idsOf(await claimDue(store, { queues }))).toEqual([]);
  });

  test("keys are the same for all tenants, and case and spaces count", async (store, runs) => {
    await enqueue(runs, "one", { key: "k", tenant: "one" });
    await enqueue(runs, "two", { key: "k", tenant: "two" });
    await enqueue(runs, "three", { key: "K" });
    await enqueue(runs, "four", { key: "k " });

    expect(await take(store, limitsOf({ perKey: 1 }))).toEqual(["one", "three", "four"]);
  });

  test("whoever asks with other limits obeys those", async (store, runs) => {
    await enqueueAll(runs, "q", 5);

    expect(await take(store, limitsOf({ concurrency: 2 }))).toEqual(["q0", "q1"]);
    expect(await take(store, limitsOf({ concurrency: 1 }))).toEqual([]);
    expect(await take(store, limitsOf({ concurrency: 3 }))).toEqual(["q2"]);
  });

  test("holds for those who ask at once", async (store, runs) => {
    const second = await runs.reopen();
    await enqueueAll(runs, "q", 40);
    const limits = limitsOf({ concurrency: 7 });

    const claims = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((owner, index) =>
        take(index % 2 ? store : second, limits, { owner, limit: 3 }),
      ),
    );

    expect(claims.flat().toSorted()).toEqual(["q0", "q1", "q2", "q3", "q4", "q5", "q6"]);
  });
}

function paced(test: StoreTest): void {
  const limits = limitsOf({ rate: { limit: 2, perMs: 1_000 } });

  test("no more runs get their first place in any window than the rate allows", async (store, runs) => {
    await enqueueAll(runs, "q", 5);

    expect(await take(store, limits, { limit: 1 })).toEqual(["q0"]);
    expect(await take(store, limits, { nowMs: startMs + 600 })).toEqual(["q1"]);
    expect(await take(store, limits, { nowMs: startMs + 999 })).toEqual([]);
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBe(startMs + 1_000);
    expect(await take(store, limits, { nowMs: startMs + 1_000 })).toEqual(["q2"]);
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBe(startMs + 1_600);
    expect(await take(store, limits, { nowMs: startMs + 1_599 })).toEqual([]);
    expect(await take(store, limits, { nowMs: startMs + 1_600 })).toEqual(["q3"]);
  });

  test("a run counts once, and comes again although the rate is used up", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await take(store, limits);
    await releaseRun(runs, "q0", summaryOf("waiting", { wakeAtMs: startMs + 10 }));

    expect(await take(store, limits, { nowMs: startMs + 10 })).toEqual(["q0"]);
    await releaseRun(runs, "q0", summaryOf("waiting", { wakeAtMs: startMs + 1_000 }));
    expect(await take(store, limits, { nowMs: startMs + 1_000, limit: 2 })).toEqual(["q0", "q2"]);
  });

  test("a run that ended and was deleted still counts", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await take(store, limits);
    await releaseRun(runs, "q0", summaryOf("completed", { outcome: "{}" }));
    await store.delete([keyOf("q0")]);

    expect(await take(store, limits, { nowMs: startMs + 999 })).toEqual([]);
  });

  test("a clock that was set back by more than the window stops nothing for longer than a window", async (store, runs) => {
    await enqueueAll(runs, "q", 4);
    await take(store, limits, { nowMs: startMs + 3_600_000 });

    expect(await take(store, limits, { nowMs: startMs })).toEqual(["q2", "q3"]);
  });

  test("a longer window of another process is not forgotten by a shorter one", async (store, runs) => {
    await enqueueAll(runs, "q", 5);
    const long = limitsOf({ rate: { limit: 2, perMs: 20_000 } });
    await take(store, long);

    expect(await take(store, limits, { nowMs: startMs + 2_000, limit: 1 })).toEqual(["q2"]);
    expect(await take(store, long, { nowMs: startMs + 19_999 })).toEqual([]);
    expect(await store.nextWakeAtMs({ queues: [long] })).toBe(startMs + 20_000);
    expect(await take(store, long, { nowMs: startMs + 20_000 })).toEqual(["q3"]);
  });
}

function inTurn(test: StoreTest): void {
  test("keys take turns: one with many runs does not keep the others waiting", async (store, runs) => {
    await enqueueAll(runs, "a", 5);
    await enqueueAll(runs, "b", 1);
    await enqueueAll(runs, "c", 2);

    expect(await take(store, limitsOf(), { limit: 4 })).toEqual(["a0", "b0", "c0", "a1"]);
    expect(await take(store, limitsOf())).toEqual(["c1", "a2", "a3", "a4"]);
  });

  test("a key without runs goes to the end of the line when it comes again", async (store, runs) => {
    await enqueueAll(runs, "a", 3);
    await enqueueAll(runs, "b", 2);
    expect(await take(store, limitsOf(), { limit: 2 })).toEqual(["a0", "b0"]);
    await enqueueAll(runs, "c", 2);

    expect(await take(store, limitsOf())).toEqual(["a1", "b1", "c0", "a2", "c1"]);
  });

  test("a key that is at its limit keeps its turn", async (store, runs) => {
    await enqueueAll(runs, "a", 2);
    const limits = limitsOf({ perKey: 1 });
    await take(store, limits);
    await enqueueAll(runs, "b", 2);
    await enqueueAll(runs, "c", 2);
    expect(await take(store, limits)).toEqual(["b0", "c0"]);

    for (const id of ["c0", "b0", "a0"]) await releaseRun(runs, id, summaryOf("completed"));

    expect(await take(store, limits)).toEqual(["a1", "b1", "c1"]);
  });

  test("within a key the highest priority comes first, then the older run", async (store, runs) => {
    for (const [id, priority] of Object.entries({ low: -5, first: 0, second: 0, high: 9, top: 2_147_483_647 }))
      await enqueue(runs, id, { priority });
    await enqueue(runs, "least", { priority: -2_147_483_648 });

    expect(await take(store, limitsOf())).toEqual(["top", "high", "first", "second", "low", "least"]);
  });

  test("priorities of one key are nothing to another", async (store, runs) => {
    await enqueue(runs, "a0", { key: "a" });
    await enqueue(runs, "b0", { key: "b", priority: 9 });
    await enqueue(runs, "b1", { key: "b", priority: 9 });
    await enqueue(runs, "a1", { key: "a" });

    expect(await take(store, limitsOf())).toEqual(["a0", "b0", "a1", "b1"]);
  });

  test("a run that comes again goes before those that were created after it", async (store, runs) => {
    await enqueueAll(runs, "q", 4);
    await take(store, limitsOf(), { limit: 2 });
    await releaseRun(runs, "q1", summaryOf("waiting", { wakeAtMs: startMs + 10 }));

    expect(await take(store, limitsOf(), { nowMs: startMs + 10 })).toEqual(["q1", "q2", "q3"]);
  });
}

function givenBack(test: StoreTest): void {
  const limits = limitsOf({ concurrency: 1, perKey: 1 });

  test("by a run that waits, and by one that has ended", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await take(store, limits);

    await releaseRun(runs, "q0");
    expect(await store.run(keyOf("q0"))).toMatchObject({ hasPlace: false, lease: null });
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBeLessThanOrEqual(startMs);
    expect(await take(store, limits)).toEqual(["q1"]);
    await releaseRun(runs, "q1", summaryOf("completed", { outcome: "{}" }));
    expect(await take(store, limits)).toEqual(["q2"]);
  });

  test("by a run that has ended and is still held", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await take(store, limits);

    await runs.commit(await heldOf(store, "q0"), { summary: summaryOf("completed") });

    expect(await take(store, limits)).toEqual(["q1"]);
  });
}

function lost(test: StoreTest): void {
  const limits = limitsOf({ concurrency: 1, perKey: 1 });

  test("by a lease that has run out: the run has no owner, and comes first", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await take(store, limits, { owner: "dead" });
    const dead = await heldOf(store, "q0");

    expect(await take(store, limits, { nowMs: startMs + leaseMs - 1 })).toEqual([]);
    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual(["q0"]);
    expect(await store.commit([{ ...dead, release: true }])).toEqual([{ status: "fenced" }]);
  });

  test("by a lease that has run out, also where others have the place that it was taken for", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await take(store, limitsOf(), { owner: "dead", limit: 1 });
    await take(store, limitsOf(), { owner: "alive", nowMs: startMs + 10 });

    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual([]);
    expect(await store.run(keyOf("q0"))).toMatchObject({ lease: null, hasPlace: false });
    expect(await store.renew(leaseOf("dead", startMs + leaseMs))).toEqual([]);
    await releaseRun(runs, "q1");
    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual(["q0"]);
  });

  test("by leases of several queues that run out together, of runs with one key", async (store, runs) => {
    const queues = [limits, limitsOf({ name: "mail" })];
    await enqueue(runs, "q0");
    await enqueue(runs, "m0", { name: "mail" });
    await claimDue(store, { queues }, { owner: "dead" });

    const again = await claimDue(store, { queues }, { nowMs: startMs + leaseMs });

    expect(idsOf(again)).toEqual(["q0", "m0"]);
  });

  test("by no lease that is renewed", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await take(store, limits);

    await store.renew(leaseOf("due", startMs + leaseMs - 1));

    expect(await store.run(keyOf("q0"))).toMatchObject({ hasPlace: true });
    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual([]);
  });

  test("by a run that waits for nothing but was lost: it needs an owner", async (store, runs) => {
    await enqueue(runs, "q0");
    await take(store, limits, { owner: "dead" });
    await runs.commit(await heldOf(store, "q0"), { summary: summaryOf("waiting") });

    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual(["q0"]);
  });

  test("by a lease beside the limits that has run out: the run needs an owner again", async (store, runs) => {
    await enqueue(runs, "q0");
    await runs.claim(keyOf("q0"), { ...leaseOf("bob"), ignoreQueueLimits: true });

    expect(await take(store, limits, { nowMs: startMs + leaseMs - 1 })).toEqual([]);
    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual(["q0"]);
  });
}
