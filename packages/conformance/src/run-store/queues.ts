import type { ClaimedRun, DueRuns, QueueLimits, QueueTicket, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { keyOf, leaseMs, leaseOf, messageOf, startMs, summaryOf } from "./rows.js";
import { creationOf, type HeldRun, type RunOptions, type Runs, released } from "./runs.js";

export function queueSuite(test: StoreTest): void {
  describe("runs of a queue", () => queued(test));
  describe("runs of a queue: who takes them", () => taken(test));
  describe("runs of a queue: asked for by key", () => byKey(test));
  describe("places of a queue: how many", () => limited(test));
  describe("places of a queue: how often", () => paced(test));
  describe("places of a queue: who is next", () => inTurn(test));
  describe("places of a queue: given back", () => givenBack(test));
  describe("queues, looked at", () => lookedAt(test));
}

export const limitsOf = (parts: Partial<QueueLimits> = {}): QueueLimits => ({
  name: "llm",
  concurrency: null,
  perKey: null,
  rate: null,
  ...parts,
});

const ticketOf = (parts: Partial<QueueTicket> = {}): QueueTicket => ({ name: "llm", key: "", priority: 0, ...parts });

type Enqueued = RunOptions & Partial<QueueTicket>;

const enqueue = (runs: Runs, runId: string, { name = "llm", key = "", priority = 0, ...run }: Enqueued = {}) =>
  runs.create(runId, { owner: null, ...run, queue: { name, key, priority } });

async function enqueueAll(runs: Runs, key: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `${key}${index}`);
  await runs.commitAll(...ids.map((id) => creationOf(id, { owner: null, queue: ticketOf({ key }) })));
}

interface Claiming {
  readonly nowMs?: number;
  readonly limit?: number;
  readonly owner?: string;
}

/** Ids of what is taken of the queue. */
async function take(store: RunStore, limits: QueueLimits, claiming: Claiming = {}): Promise<string[]> {
  return idsOf(await claimDue(store, { queues: [limits] }, claiming));
}

function claimDue(store: RunStore, of: DueRuns, { nowMs = startMs, limit = 100, owner = "due" }: Claiming = {}) {
  return store.claimDue({ ...leaseOf(owner, nowMs), ...of, limit });
}

const idsOf = (claimed: readonly ClaimedRun[]): string[] => claimed.map(({ run }) => run.key.runId);

async function heldOf(store: RunStore, runId: string): Promise<HeldRun> {
  const run = await store.run(keyOf(runId));
  return { key: keyOf(runId), owner: run?.lease?.owner ?? "nobody", epoch: run?.epoch ?? -1 };
}

/** Whoever has it gives it back; by default it then waits for a post. */
async function giveBack(runs: Runs, runId: string, summary = summaryOf("waiting")): Promise<void> {
  await runs.commit(await heldOf(runs.store, runId), released(summary));
}

function queued(test: StoreTest): void {
  test("come back as they were created", async (store, runs) => {
    const queue = ticketOf({ key: "tenant 1", priority: -7 });
    await enqueue(runs, "run", queue);
    await runs.create("plain");

    expect(await store.run(keyOf("run"))).toMatchObject({ queue, hasPlace: false, lease: null, status: "running" });
    expect(await store.run(keyOf("plain"))).toMatchObject({ queue: null, hasPlace: false });
  });

  test("are listed by their queue", async (store, runs) => {
    await enqueue(runs, "one", { key: "a", labels: { size: "s" } });
    await enqueue(runs, "two", { key: "b", workflow: "other", labels: { size: "l" } });
    await enqueue(runs, "three", { name: "mail" });
    await runs.create("plain");
    const list = async (more: Partial<Parameters<RunStore["list"]>[0]>) =>
      (await store.list({ tenant: "acme", limit: 9, ...more })).runs.map(({ key }) => key.runId);

    expect(await list({ queue: "llm" })).toEqual(["two", "one"]);
    expect(await list({ queue: "mail" })).toEqual(["three"]);
    expect(await list({ queue: "none" })).toEqual([]);
    expect(await list({ queue: "llm", workflow: "other" })).toEqual(["two"]);
    expect(await list({ queue: "llm", labels: { size: "s" } })).toEqual(["one"]);
    expect(await list({ queue: "llm", status: ["waiting"] })).toEqual([]);
    expect(await list({ queue: "llm", status: ["running"], limit: 1 })).toEqual(["two"]);
    expect(await list({})).toEqual(["plain", "three", "two", "one"]);
  });
}

function taken(test: StoreTest): void {
  test("are taken for whoever names the queue, with a place, and by nobody else", async (store, runs) => {
    await enqueue(runs, "run");
    await runs.create("plain", { owner: null });

    expect(idsOf(await claimDue(store, {}))).toEqual(["plain"]);
    expect(idsOf(await claimDue(store, { queues: [limitsOf({ name: "mail" })] }))).toEqual([]);
    const [claimed] = await claimDue(store, { queues: [limitsOf()] });

    expect(claimed?.run).toMatchObject({ hasPlace: true, epoch: 1, lease: { owner: "due" } });
    expect(claimed?.run).toEqual(await store.run(keyOf("run")));
  });

  test("follow the runs that are in none, and share their limit", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await runs.create("plain", { owner: null, startAtMs: startMs, createdAtMs: startMs });

    expect(await take(store, limitsOf(), { limit: 2 })).toEqual(["plain", "q0"]);
    expect(await take(store, limitsOf(), { limit: 0 })).toEqual([]);
    expect(await take(store, limitsOf())).toEqual(["q1", "q2"]);
  });

  test("are taken of the named workflows only, and those of others keep nobody waiting", async (store, runs) => {
    await enqueue(runs, "theirs", { workflow: "theirs" });
    await enqueue(runs, "mine", { workflow: "mine" });
    const queues = [limitsOf()];

    expect(idsOf(await claimDue(store, { queues, workflows: ["mine"] }))).toEqual(["mine"]);
    expect(await store.nextWakeAtMs({ queues, workflows: ["mine"] })).toBeNull();
    expect(idsOf(await claimDue(store, { queues, workflows: ["mine", "theirs"] }))).toEqual(["theirs"]);
  });

  test("wait for their time", async (store, runs) => {
    await enqueue(runs, "run", { startAtMs: startMs + 500 });
    await runs.post(keyOf("run"), messageOf("1"));

    expect(await take(store, limitsOf(), { nowMs: startMs + 499 })).toEqual([]);
    expect(await store.nextWakeAtMs({ queues: [limitsOf()] })).toBe(startMs + 500);
    expect(await store.nextWakeAtMs({})).toBeNull();
    expect(await take(store, limitsOf(), { nowMs: startMs + 500 })).toEqual(["run"]);
  });
}

function byKey(test: StoreTest): void {
  test("are given by their key only beside the limits, and then have no place", async (store, runs) => {
    await enqueue(runs, "run");
    await enqueue(runs, "next");
    const limits = limitsOf({ concurrency: 1 });

    expect(await store.claim(keyOf("run"), leaseOf("bob"))).toBeNull();
    const beside = await store.claim(keyOf("run"), { ...leaseOf("bob"), beside: true });

    expect(beside?.run).toMatchObject({ hasPlace: false, lease: { owner: "bob" } });
    expect(await take(store, limits)).toEqual(["next"]);
    expect(await store.claim(keyOf("next"), { ...leaseOf("bob"), beside: true })).toBeNull();
  });

  test("are given again by their key to who holds them, with the place that they have", async (store, runs) => {
    await enqueue(runs, "placed");
    await take(store, limitsOf());
    await enqueue(runs, "beside");
    await runs.claim(keyOf("beside"), { ...leaseOf("due"), beside: true });

    expect((await store.claim(keyOf("placed"), leaseOf("due")))?.run).toMatchObject({ hasPlace: true, epoch: 2 });
    expect((await store.claim(keyOf("beside"), leaseOf("due")))?.run).toMatchObject({ hasPlace: false, epoch: 2 });
  });

  test("are taken once they have a post, and are no run of another queue", async (store, runs) => {
    await enqueue(runs, "run");
    await take(store, limitsOf());
    await giveBack(runs, "run");
    expect(await take(store, limitsOf())).toEqual([]);

    await runs.post(keyOf("run"), { ...messageOf("1"), atMs: startMs + 60_000 });

    expect(await take(store, limitsOf({ name: "mail" }))).toEqual([]);
    const [claimed] = await claimDue(store, { queues: [limitsOf()] });
    expect(claimed?.posts.map(({ text }) => text)).toEqual(["1"]);
  });

  test("are gone with their place when they are deleted", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    const limits = limitsOf({ concurrency: 1, perKey: 1 });
    await take(store, limits);
    await giveBack(runs, "q0", summaryOf("completed", { outcome: "{}" }));

    expect(await store.delete([keyOf("q0"), keyOf("q1")])).toBe(2);

    expect(await take(store, limits)).toEqual(["q2"]);
  });
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
    await giveBack(runs, "q0", summaryOf("waiting", { wakeAtMs: startMs + 10 }));

    expect(await take(store, limits, { nowMs: startMs + 10 })).toEqual(["q0"]);
    await giveBack(runs, "q0", summaryOf("waiting", { wakeAtMs: startMs + 1_000 }));
    expect(await take(store, limits, { nowMs: startMs + 1_000, limit: 2 })).toEqual(["q0", "q2"]);
  });

  test("a run that ended and was deleted still counts", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await take(store, limits);
    await giveBack(runs, "q0", summaryOf("completed", { outcome: "{}" }));
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

  test("a key that has nothing to give goes to the end of the line when it comes again", async (store, runs) => {
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

    for (const id of ["c0", "b0", "a0"]) await giveBack(runs, id, summaryOf("completed"));

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
    await giveBack(runs, "q1", summaryOf("waiting", { wakeAtMs: startMs + 10 }));

    expect(await take(store, limitsOf(), { nowMs: startMs + 10 })).toEqual(["q1", "q2", "q3"]);
  });
}

function givenBack(test: StoreTest): void {
  const limits = limitsOf({ concurrency: 1, perKey: 1 });

  test("by a run that waits, and by one that has ended", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await take(store, limits);

    await giveBack(runs, "q0");
    expect(await store.run(keyOf("q0"))).toMatchObject({ hasPlace: false, lease: null });
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBeLessThanOrEqual(startMs);
    expect(await take(store, limits)).toEqual(["q1"]);
    await giveBack(runs, "q1", summaryOf("completed", { outcome: "{}" }));
    expect(await take(store, limits)).toEqual(["q2"]);
  });

  test("by a run that has ended and is still held", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await take(store, limits);

    await runs.commit(await heldOf(store, "q0"), { summary: summaryOf("completed") });

    expect(await take(store, limits)).toEqual(["q1"]);
  });

  test("by a lease that has run out: the run is nobody's, and comes first", async (store, runs) => {
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
    await giveBack(runs, "q1");
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
    await take(store, limits);
    await runs.commit(await heldOf(store, "q0"), { summary: summaryOf("waiting") });

    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual(["q0"]);
  });

  test("by a lease beside the limits that has run out: the run needs an owner again", async (store, runs) => {
    await enqueue(runs, "q0");
    await runs.claim(keyOf("q0"), { ...leaseOf("bob"), beside: true });

    expect(await take(store, limits, { nowMs: startMs + leaseMs - 1 })).toEqual([]);
    expect(await take(store, limits, { nowMs: startMs + leaseMs })).toEqual(["q0"]);
  });
}

function lookedAt(test: StoreTest): void {
  test("give what would be taken, in that order, and nothing is taken", async (store, runs) => {
    await enqueueAll(runs, "a", 3);
    await enqueueAll(runs, "b", 2);
    await runs.create("plain", { owner: null });
    const queues = [limitsOf({ concurrency: 3, rate: { limit: 4, perMs: 1_000 } })];
    const look = async (more: DueRuns) =>
      (await store.due({ nowMs: startMs, limit: 9, ...more })).runs.map(({ key }) => key.runId);

    expect(await look({ queues })).toEqual(["plain", "a0", "b0", "a1"]);
    expect(await look({ queues })).toEqual(["plain", "a0", "b0", "a1"]);
    expect(await look({})).toEqual(["plain"]);
    expect(await store.run(keyOf("a0"))).toMatchObject({ lease: null, hasPlace: false, epoch: 0 });
    expect(idsOf(await claimDue(store, { queues }))).toEqual(["plain", "a0", "b0", "a1"]);
    expect(await look({ queues })).toEqual([]);
    expect((await store.due({ nowMs: startMs, limit: 9, queues })).wakeAtMs).toBe(startMs + leaseMs);
  });

  test("give a run whose lease has run out, and leave it the lease", async (store, runs) => {
    await enqueue(runs, "run");
    const queues = [limitsOf({ concurrency: 1 })];
    await take(store, limitsOf());
    const nowMs = startMs + leaseMs;

    const due = await store.due({ nowMs, limit: 9, queues });

    expect(due.runs).toMatchObject([{ key: keyOf("run"), workflow: "order" }]);
    expect(due.wakeAtMs).toBeLessThanOrEqual(nowMs);
    expect(await store.run(keyOf("run"))).toMatchObject({ lease: { owner: "due" }, hasPlace: true, epoch: 1 });
    expect(await store.renew(leaseOf("due", nowMs))).toEqual([keyOf("run")]);
  });

  test("say that a place is free which was of a lost run of another workflow", async (store, runs) => {
    await enqueue(runs, "lost", { workflow: "other" });
    await take(store, limitsOf());
    await enqueue(runs, "next", { createdAtMs: startMs + 1 });
    const of = { nowMs: startMs + leaseMs, workflows: ["order"], queues: [limitsOf({ concurrency: 1 })] };

    const due = await store.due({ ...of, limit: 9 });

    expect(due.runs).toMatchObject([{ key: keyOf("next") }]);
    expect(due.wakeAtMs ?? Number.NaN).toBeLessThanOrEqual(of.nowMs);
    expect(await store.due({ ...of, limit: 0 })).toEqual({ ...due, runs: [] });
  });

  test("say nothing of runs of other queues, held or not", async (store, runs) => {
    await enqueue(runs, "later", { startAtMs: startMs + 100 });
    const held = await runs.create("held", { queue: ticketOf() });
    await runs.commit(held, { summary: summaryOf("waiting", { wakeAtMs: startMs + 200 }) });

    expect(await store.due({ nowMs: startMs, limit: 9 })).toEqual({ runs: [], wakeAtMs: null });
    expect((await store.due({ nowMs: startMs, limit: 9, queues: [limitsOf()] })).wakeAtMs).toBe(startMs + 100);
  });

  test("say when a rate allows the next run", async (store, runs) => {
    await enqueueAll(runs, "a", 3);
    const queues = [limitsOf({ rate: { limit: 2, perMs: 1_000 } })];
    await claimDue(store, { queues });

    expect(await store.due({ nowMs: startMs, limit: 9, queues })).toEqual({ runs: [], wakeAtMs: startMs + 1_000 });
  });
}
