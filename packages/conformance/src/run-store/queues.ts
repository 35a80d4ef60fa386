/** Runs that wait in a queue: who takes them. */
import type { HistogramQuery, LineQuery, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { claimDue, enqueue, enqueueAll, idsOf, limitsOf, releaseRun, take, ticketOf } from "./queued-runs.js";
import { keyOf, leaseMs, leaseOf, messageOf, startMs, summaryOf } from "./rows.js";

export function queueSuite(test: StoreTest): void {
  describe("runs of a queue", () => queued(test));
  describe("the status `queued`", () => queuedStatus(test));
  describe("the status `queued`: leaving it", () => queuedStatusLeft(test));
  describe("runs of a queue: who takes them", () => taken(test));
  describe("runs of a queue: asked for by key", () => byKey(test));
  describe("queues: when to wake a process from outside", () => wakingFromOutside(test));
  describe("lines of queues", () => lines(test));
}

function queued(test: StoreTest): void {
  test("come back as they were created", async (store, runs) => {
    const queue = ticketOf({ key: "tenant 1", priority: -7 });
    await enqueue(runs, "run", queue);
    await runs.create("plain");

    expect(await store.run(keyOf("run"))).toMatchObject({ queue, hasPlace: false, lease: null, status: "queued" });
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
    expect(await list({ queue: "llm", status: ["queued"], limit: 1 })).toEqual(["two"]);
    expect(await list({ queue: "llm", status: ["running"] })).toEqual([]);
    expect(await list({})).toEqual(["plain", "three", "two", "one"]);
  });
}

const statusesOf = async (store: RunStore, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await store.run(keyOf(id)))?.status));
const counted = async (store: RunStore) =>
  Object.fromEntries((await store.counts({ tenant: "acme" })).map(({ status, count }) => [status, count]));

function queuedStatus(test: StoreTest): void {
  test("is that of every run that needs a place and has none, and is counted and listed", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await enqueue(runs, "later", { startAtMs: startMs + 500 });
    const limits = limitsOf({ concurrency: 1 });

    expect(await counted(store)).toEqual({ queued: 3, scheduled: 1 });
    expect(await take(store, limits)).toEqual(["q0"]);
    expect(await statusesOf(store, "q0", "q1", "later")).toEqual(["running", "queued", "scheduled"]);
    expect(await take(store, limits, { nowMs: startMs + 500 })).toEqual([]);
    expect(await statusesOf(store, "later")).toEqual(["queued"]);
    expect(await counted(store)).toEqual({ queued: 3, running: 1 });
    const { runs: listed } = await store.list({ tenant: "acme", status: ["queued"], limit: 2 });
    expect(listed.map(({ key, status }) => [key.runId, status])).toEqual([
      ["later", "queued"],
      ["q2", "queued"],
    ]);
    expect((await store.list({ tenant: "acme", status: ["queued"], workflow: "order", limit: 9 })).runs).toHaveLength(
      3,
    );
  });

  test("is left by a run that waited, which waits again when it is taken", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    const limits = limitsOf({ concurrency: 1 });
    await take(store, limits);
    await releaseRun(runs, "q0", summaryOf("waiting", { wakeAtMs: startMs + 10 }));
    await take(store, limits);

    expect(await statusesOf(store, "q0", "q1")).toEqual(["waiting", "running"]);
    expect(await take(store, limits, { nowMs: startMs + 10 })).toEqual([]);
    expect(await statusesOf(store, "q0")).toEqual(["queued"]);
    expect((await store.list({ tenant: "acme", status: ["waiting"], limit: 9 })).runs).toEqual([]);
    expect((await store.list({ tenant: "acme", status: ["queued"], limit: 9 })).runs).toHaveLength(1);
    expect(await counted(store)).toEqual({ queued: 1, running: 1 });
    await enqueue(runs, "q2");
    const bars = async (of: Partial<HistogramQuery>) =>
      store.histogram?.({ tenant: "acme", fromMs: startMs, periodMs: 10, periods: 1, ...of });
    const bar = { period: 0, status: "queued", count: 2 };
    for (const of of [{}, { workflow: "order" }, { queue: "llm" }])
      expect(await bars({ status: ["queued"], ...of })).toEqual([bar]);
    expect(await bars({})).toEqual(expect.arrayContaining([bar, { ...bar, status: "running", count: 1 }]));
    await releaseRun(runs, "q1", summaryOf("completed", { outcome: "{}" }));
    const [taken] = await claimDue(store, { queues: [limits] }, { nowMs: startMs + 10 });
    expect(taken?.run).toMatchObject({ key: keyOf("q0"), status: "waiting" });
  });
}

function queuedStatusLeft(test: StoreTest): void {
  test("is that of a run whose process was lost, once another claims", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await take(store, limitsOf());
    const lateMs = startMs + leaseMs;

    expect(await take(store, limitsOf({ concurrency: 1 }), { nowMs: lateMs, owner: "next" })).toEqual(["q0"]);

    expect(await statusesOf(store, "q0", "q1")).toEqual(["running", "queued"]);
  });

  test("is left when the run is taken beside the limits, and when it is deleted", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await runs.claim(keyOf("q0"), { ...leaseOf("bob"), ignoreQueueLimits: true });

    expect(await statusesOf(store, "q0")).toEqual(["running"]);
    await store.delete([keyOf("q1")]);
    expect(await counted(store)).toEqual({ running: 1 });
  });

  test("is left when an urgent post takes the run out of the line, as it was before", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    await enqueue(runs, "later", { startAtMs: startMs + 5 });
    const limits = limitsOf({ concurrency: 1 });
    await take(store, limits);
    await releaseRun(runs, "q0", summaryOf("waiting", { wakeAtMs: startMs + 5 }));
    await take(store, limits);
    const full = { nowMs: startMs + 5, owner: "next" };
    expect(await take(store, limits, full)).toEqual([]);
    expect(await statusesOf(store, "q0", "q1", "q2", "later")).toEqual(["queued", "running", "queued", "queued"]);
    for (const id of ["q0", "q2", "later"]) await runs.post(keyOf(id), { ...messageOf("1"), urgent: true });

    const claimed = await claimDue(store, { queues: [limits] }, full);

    expect(claimed.map(({ run }) => [run.key.runId, run.status, run.hasPlace]).sort()).toEqual([
      ["later", "running", false],
      ["q0", "waiting", false],
      ["q2", "running", false],
    ]);
    expect(await counted(store)).toEqual({ running: 3, waiting: 1 });
  });
}

function taken(test: StoreTest): void {
  test("are taken for whoever names the queue, with a place, and by no other caller", async (store, runs) => {
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

  test("are taken of the named workflows only, and those of others delay no run", async (store, runs) => {
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
    const beside = await store.claim(keyOf("run"), { ...leaseOf("bob"), ignoreQueueLimits: true });

    expect(beside?.run).toMatchObject({ hasPlace: false, lease: { owner: "bob" } });
    expect(await take(store, limits)).toEqual(["next"]);
    expect(await store.claim(keyOf("next"), { ...leaseOf("bob"), ignoreQueueLimits: true })).toBeNull();
  });

  test("are given again by their key to the caller who holds them, with the place that they have", async (store, runs) => {
    await enqueue(runs, "placed");
    await take(store, limitsOf());
    await enqueue(runs, "beside");
    await runs.claim(keyOf("beside"), { ...leaseOf("due"), ignoreQueueLimits: true });

    expect((await store.claim(keyOf("placed"), leaseOf("due")))?.run).toMatchObject({ hasPlace: true, epoch: 2 });
    expect((await store.claim(keyOf("beside"), leaseOf("due")))?.run).toMatchObject({ hasPlace: false, epoch: 2 });
  });

  test("stay with who asks for more and holds them, also with leases that have run out, and keep their places", async (store, runs) => {
    await enqueueAll(runs, "q", 3);
    const limits = limitsOf({ concurrency: 2 });
    const lateMs = startMs + 2 * leaseMs;

    expect(await take(store, limits)).toEqual(["q0", "q1"]);
    expect(await take(store, limits, { nowMs: lateMs })).toEqual([]);
    expect(await store.run(keyOf("q0"))).toMatchObject({ hasPlace: true, epoch: 1, lease: { owner: "due" } });
    expect(await take(store, limits, { nowMs: lateMs, owner: "other" })).toHaveLength(2);
  });

  test("are taken once they have a post, and are no run of another queue", async (store, runs) => {
    await enqueue(runs, "run");
    await take(store, limitsOf());
    await releaseRun(runs, "run");
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
    await releaseRun(runs, "q0", summaryOf("completed", { outcome: "{}" }));

    expect(await store.delete([keyOf("q0"), keyOf("q1")])).toBe(2);

    expect(await take(store, limits)).toEqual(["q2"]);
  });
}

function lines(test: StoreTest): void {
  const empty = { waiting: 0, placed: 0, oldestAtMs: null, keys: [], ahead: null };
  const lineOf = (store: RunStore, more: Partial<LineQuery> = {}) =>
    store.line({ queue: "llm", nowMs: startMs + 10, keys: 9, ...more });

  test("are empty for a queue that no run has named", async (store) => {
    expect(await lineOf(store)).toEqual(empty);
    expect(await lineOf(store, { of: keyOf("none") })).toEqual(empty);
  });

  test("count who waits and who has a place, by key, the longest first", async (store, runs) => {
    await enqueueAll(runs, "a", 2);
    await enqueueAll(runs, "b", 4);
    await enqueue(runs, "other", { name: "mail" });
    await enqueue(runs, "later", { startAtMs: startMs + 500 });
    await take(store, limitsOf({ concurrency: 2 }));

    const line = await lineOf(store);

    expect(line).toEqual({
      waiting: 4,
      placed: 2,
      oldestAtMs: startMs,
      keys: [
        { key: "b", waiting: 3, placed: 1, oldestAtMs: startMs },
        { key: "a", waiting: 1, placed: 1, oldestAtMs: startMs },
      ],
      ahead: null,
    });
    expect(await lineOf(store, { keys: 1 })).toEqual({ ...line, keys: line.keys.slice(0, 1) });
    expect(await lineOf(store, { keys: 0 })).toEqual({ ...line, keys: [] });
    expect(await lineOf(store, { nowMs: startMs + 500 })).toMatchObject({ waiting: 5 });
    expect(await lineOf(store, { queue: "mail" })).toMatchObject({ waiting: 1, placed: 0, keys: [{ key: "" }] });
  });

  test("count a run again that comes back after a wait, since it needs its place", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    const limits = limitsOf({ concurrency: 1 });
    await take(store, limits);
    await releaseRun(runs, "q0", summaryOf("waiting"));
    await take(store, limits);
    expect(await lineOf(store)).toMatchObject({ waiting: 0, placed: 1, oldestAtMs: null });

    await runs.post(keyOf("q0"), { ...messageOf("1"), atMs: startMs + 7 });

    expect(await lineOf(store)).toMatchObject({ waiting: 1, placed: 1, oldestAtMs: startMs + 7 });
    await take(store, limits);
    expect(await lineOf(store)).toMatchObject({ waiting: 1, placed: 1, oldestAtMs: startMs + 7 });
    await releaseRun(runs, "q1", summaryOf("completed", { outcome: "{}" }));
    expect(await lineOf(store)).toMatchObject({ waiting: 1, placed: 0 });
    await store.delete([keyOf("q0"), keyOf("q1")]);
    expect(await lineOf(store)).toEqual(empty);
  });

  test("say how many are before a run: the number that the next claims take first", async (store, runs) => {
    const all: string[] = [];
    for (const [key, count] of Object.entries({ a: 5, b: 1, c: 3 }))
      for (let index = 0; index < count; index++) {
        const id = `${key}${index}`;
        all.push(id);
        await enqueue(runs, id, { key, priority: id === "a3" ? 1 : 0, createdAtMs: startMs + index });
      }
    await take(store, limitsOf({ concurrency: 1 }), { nowMs: startMs + 9 });
    const [held] = (await store.list({ tenant: "acme", status: ["running"], limit: 9 })).runs;
    const waiting = all.filter((id) => id !== held?.key.runId);
    const ahead = new Map<string, number | null>();
    for (const id of waiting) ahead.set(id, (await lineOf(store, { of: keyOf(id) })).ahead);

    const order = await take(store, limitsOf(), { nowMs: startMs + 10 });

    expect([...ahead].toSorted(([, one], [, other]) => Number(one) - Number(other)).map(([id]) => id)).toEqual(order);
    expect([...ahead.values()].toSorted((one, other) => Number(one) - Number(other))).toEqual(order.map((_, at) => at));
    expect(await lineOf(store, { of: keyOf("a0") })).toMatchObject({ ahead: null });
  });

  test("stay as they are under a limit of no place", async (store, runs) => {
    await enqueueAll(runs, "q", 2);
    await runs.post(keyOf("q1"), messageOf("1"));
    const limits = limitsOf({ concurrency: 0 });

    expect(await take(store, limits)).toEqual([]);
    expect(await store.nextWakeAtMs({ queues: [limits] })).toBeNull();
    expect(await store.nextWakeAtMs({ queues: [limits], heldAfterMs: startMs })).toBeNull();
    expect(await lineOf(store)).toMatchObject({ waiting: 2, placed: 0 });
    expect(await take(store, limitsOf())).toEqual(["q0", "q1"]);
  });
}

function wakingFromOutside(test: StoreTest): void {
  test("count the end of a lease, and leave it", async (store, runs) => {
    await enqueue(runs, "run");
    await take(store, limitsOf());

    expect(await store.nextWakeAtMs({ queues: [limitsOf()], heldAfterMs: startMs })).toBe(startMs + leaseMs);
    expect(await store.nextWakeAtMs({ heldAfterMs: startMs })).toBeNull();
    expect(await store.run(keyOf("run"))).toMatchObject({ lease: { owner: "due" }, hasPlace: true, epoch: 1 });
    expect(await store.renew(leaseOf("due", startMs + leaseMs))).toEqual([keyOf("run")]);
  });

  test("count the end of the lease of another workflow, whose place is then free", async (store, runs) => {
    await enqueue(runs, "lost", { workflow: "other" });
    await take(store, limitsOf());
    await enqueue(runs, "next", { createdAtMs: startMs + 1 });
    const of = { workflows: ["order"], queues: [limitsOf({ concurrency: 1 })] };

    expect(await store.nextWakeAtMs({ ...of, heldAfterMs: startMs })).toBe(startMs + leaseMs);
    expect(idsOf(await claimDue(store, of, { nowMs: startMs + leaseMs, owner: "other" }))).toEqual(["next"]);
    expect(await store.nextWakeAtMs({ ...of, heldAfterMs: startMs + leaseMs })).toBe(startMs + 2 * leaseMs);
  });

  test("count nothing of runs of other queues, held or not", async (store, runs) => {
    await enqueue(runs, "later", { startAtMs: startMs + 100 });
    const held = await runs.create("held", { queue: ticketOf() });
    await runs.commit(held, { summary: summaryOf("waiting", { wakeAtMs: startMs + 200 }) });

    expect(await store.nextWakeAtMs({ heldAfterMs: startMs })).toBeNull();
    expect(await store.nextWakeAtMs({ heldAfterMs: startMs, queues: [limitsOf()] })).toBe(startMs + 100);
  });
}
