import type { ClaimedRun, DueRuns, PostResult, RunStore, StoredPost } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, keyOf, leaseMs, leaseOf, messageOf, startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf, Runs, released } from "./runs.js";

export function postSuite(test: StoreTest): void {
  describe("posts: keeping", () => keeping(test));
  describe("posts: urgent", () => urgency(test));
  describe("posts: idempotency keys", () => repeating(test));
  describe("posts: keys of commits", () => receiving(test));
  describe("posts: receipts", () => receipts(test));
  describe("posts: reading", () => reading(test));
}

const textsOf = (posts: readonly StoredPost[]): string[] => posts.map((post) => post.text);
const positionOf = (result: PostResult): number => (result.status === "stored" ? result.position : Number.NaN);

function keeping(test: StoreTest): void {
  test.held("keeps a post as it was made", async (store, _run, runs) => {
    const position = await runs.post(keyOf("run"), { idempotencyKey: "k", atMs: startMs + 3, text: '{"a":"ü"}' });

    const expected = { key: keyOf("run"), position, idempotencyKey: "k", atMs: startMs + 3, text: '{"a":"ü"}' };
    expect(await store.posts(keyOf("run"))).toEqual([expected]);
  });

  test("takes posts for held, waiting and scheduled runs", async (store, runs) => {
    await runs.create("held");
    await runs.createWaiting("waiting");
    await runs.create("scheduled", { owner: null, startAtMs: startMs + 500 });

    const ids = ["held", "waiting", "scheduled"];
    const results = await Promise.all(ids.map((id) => store.post(keyOf(id), messageOf("1"))));

    expect(results.map((result) => result.status)).toEqual(["stored", "stored", "stored"]);
  });

  test("stores nothing for a run that does not exist, also when it is created later", async (store, runs) => {
    expect(await store.post(keyOf("run"), messageOf("1"))).toEqual({ status: "unknown" });

    await runs.create("run");
    expect(await store.posts(keyOf("run"))).toEqual([]);
  });

  test.ended("stores nothing for a run that has ended, and returns the run", async (store, { key }) => {
    const result = await store.post(key, messageOf("1"));

    expect(result).toEqual({ status: "ended", run: await store.run(key) });
    expect(await store.posts(key)).toEqual([]);
  });

  test("returns positions that rise over all runs of all tenants", async (_store, runs) => {
    await runs.create("one");
    await runs.create("two", { tenant: "other" });
    const keys = [keyOf("one"), keyOf("two", "other"), keyOf("one"), keyOf("two", "other")];

    const positions: number[] = [];
    for (const key of keys) positions.push(await runs.post(key, messageOf("1")));

    expect(positions).toEqual([...new Set(positions)].sort((left, right) => left - right));
    expect(positions).toHaveLength(4);
  });

  test("never returns a position twice, also when the run of the last one was deleted", async (store, runs) => {
    const { key } = await runs.createWaiting("gone");
    await runs.create("other");
    const first = await runs.post(key, messageOf("1"));

    await store.delete([key]);

    expect(await runs.post(keyOf("other"), messageOf("1"))).toBeGreaterThan(first);
  });

  test("keeps every post of concurrent posters, each poster's in its order", async (store, runs) => {
    const second = new Runs(await runs.reopen(), runs.reopen);
    await runs.create("run");
    const postAll = async (to: Runs, name: string): Promise<number[]> => {
      const positions: number[] = [];
      for (let i = 0; i < 10; i++) positions.push(await to.post(keyOf("run"), messageOf(`"${name}${i}"`)));
      return positions;
    };

    const positions = await Promise.all([postAll(runs, "a"), postAll(second, "b"), postAll(runs, "c")]);

    const posts = await store.posts(keyOf("run"));
    expect(posts.map((post) => post.position)).toEqual(positions.flat().sort((left, right) => left - right));
    for (const name of ["a", "b", "c"]) {
      const own = textsOf(posts).filter((text) => text.startsWith(`"${name}`));
      expect(own).toEqual(Array.from({ length: 10 }, (_, i) => `"${name}${i}"`));
    }
  });
}

/** Claims by "bob", `afterMs` after the runs were created. */
async function dueFor(store: RunStore, afterMs = 1, of: Partial<DueRuns> = {}): Promise<ClaimedRun[]> {
  return store.claimDue({ ...leaseOf("bob", startMs + afterMs), limit: 9, ...of });
}

function urgency(test: StoreTest): void {
  const urgent = (text: string, key: string | null = null) => ({ ...messageOf(text, key), urgent: true });

  test.ended("are kept for a run that has ended, and make it due", async (store, { key }, runs) => {
    const position = await runs.post(key, urgent("1", "k"));

    expect(await store.nextWakeAtMs()).toBe(startMs);
    expect(await dueFor(store, 1, { workflows: ["other"] })).toEqual([]);
    expect(await dueFor(store)).toMatchObject([{ run: { status: "completed" }, posts: [{ position, text: "1" }] }]);
    expect(await dueFor(store)).toEqual([]);
    expect(await store.nextWakeAtMs()).toBeNull();
  });

  test.ended("are no longer due once they have a receipt, and their key is known", async (store, { key }, runs) => {
    const position = await runs.post(key, urgent("1", "k"));
    const [claimed] = await dueFor(store);
    const bob = { key, owner: "bob", epoch: claimed?.run.epoch ?? 0 };
    await runs.commit(bob, { receipts: [{ position, receipt: "{}" }], release: true });

    expect(await dueFor(store, 2)).toEqual([]);
    expect(await store.nextWakeAtMs()).toBeNull();
    expect(await store.post(key, urgent("1", "k"))).toEqual({ status: "duplicate", position, receipt: "{}" });
    expect((await store.post(key, messageOf("2"))).status).toBe("ended");
  });

  test.ended("stay due where the owner that took them dies", async (store, { key }, runs) => {
    await runs.post(key, urgent("1"));
    await dueFor(store);
    const later = leaseOf("carl", startMs + 1 + leaseMs);

    expect(await store.claimDue({ ...later, nowMs: later.nowMs - 1, limit: 9 })).toEqual([]);
    expect(await store.claimDue({ ...later, limit: 9 })).toMatchObject([{ run: { key }, posts: [{ text: "1" }] }]);
  });

  test("make a run due before its time", async (store, runs) => {
    await runs.create("later", { owner: null, startAtMs: startMs + 5_000 });
    await runs.post(keyOf("later"), messageOf("1"));
    expect(await dueFor(store)).toEqual([]);

    await runs.post(keyOf("later"), urgent("2"));

    expect(await dueFor(store)).toMatchObject([
      { run: { status: "scheduled" }, posts: [{ text: "1" }, { text: "2" }] },
    ]);
  });

  test("make a run of any queue due, beyond its limits and without a place", async (store, runs) => {
    const queue = { name: "llm", key: "", priority: 0 };
    const full = { queues: [{ name: "llm", concurrency: 1, perKey: null, rate: null }] };
    for (const id of ["first", "second", "third"]) await runs.create(id, { owner: null, queue });
    await dueFor(store, 1, full); // "first" has the only place
    await runs.post(keyOf("second"), urgent("1"));

    const claimed = await dueFor(store, 2, full);
    await runs.post(keyOf("third"), urgent("1"));

    expect(claimed).toMatchObject([{ run: { key: keyOf("second"), hasPlace: false } }]);
    expect(await dueFor(store, 3)).toMatchObject([{ run: { key: keyOf("third"), hasPlace: false } }]);
  });

  test("of a run with a place whose owner is gone take the run and leave the place", async (store, runs) => {
    const full = { queues: [{ name: "llm", concurrency: 1, perKey: null, rate: null }] };
    for (const id of ["first", "second"])
      await runs.create(id, { owner: null, queue: { name: "llm", key: "", priority: 0 } });
    await dueFor(store, 1, full);
    await runs.post(keyOf("first"), urgent("1"));

    const claimed = await store.claimDue({ ...leaseOf("carl", startMs + 1 + leaseMs), limit: 9, ...full });

    expect(claimed.map(({ run }) => [run.key.runId, run.hasPlace])).toEqual([
      ["first", false],
      ["second", true],
    ]);
  });

  test("come with a run that is imported", async (store, runs) => {
    const creation = creationOf("run", { owner: null, startAtMs: startMs + 5_000 });
    await runs.commitAll({ ...creation, posts: [urgent("1")] });

    expect(await dueFor(store)).toMatchObject([{ posts: [{ text: "1" }] }]);
  });
}

function repeating(test: StoreTest): void {
  test("returns the first position for a message with the same key, without a receipt as long as there is none", async (store, runs) => {
    const run = await runs.create("run");
    const position = await runs.post(run.key, messageOf('"first"', "k"));

    const again = await store.post(run.key, messageOf('"second"', "k"));

    expect(again).toEqual({ status: "duplicate", position, receipt: null });
    expect(textsOf(await store.posts(run.key))).toEqual(['"first"']);
  });

  test.held("returns the receipt of the first once there is one", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1", "k"));
    await runs.commit(run, { receipts: [{ position, receipt: '{"ok":true}' }] });

    const again = await store.post(run.key, messageOf("1", "k"));

    expect(again).toEqual({ status: "duplicate", position, receipt: '{"ok":true}' });
    expect(await store.posts(run.key)).toEqual([]);
  });

  test.held("knows the key of a message also when the run has ended since", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1", "k"));
    const parts = { receipts: [{ position, receipt: "{}" }], ...released(summaryOf("completed")) };
    await runs.commit(run, parts);

    expect(await store.post(run.key, messageOf("1", "k"))).toEqual({ status: "duplicate", position, receipt: "{}" });
    expect((await store.post(run.key, messageOf("1", "new"))).status).toBe("ended");
  });

  test("takes the same key once for each run and tenant", async (store, runs) => {
    const keys = [keyOf("one"), keyOf("two"), keyOf("one", "other")];
    for (const { runId, tenant } of keys) await runs.create(runId, { tenant });

    const results = await Promise.all(keys.map((key) => store.post(key, messageOf("1", "k"))));

    expect(results.map((result) => result.status)).toEqual(["stored", "stored", "stored"]);
  });

  test.held("takes messages without a key every time, and one with an empty key once", async (store, { key }) => {
    for (const idempotencyKey of [null, null, "", ""]) await store.post(key, messageOf("1", idempotencyKey));

    expect((await store.posts(key)).map((post) => post.idempotencyKey)).toEqual([null, null, ""]);
  });

  test.held("stores one of many concurrent messages with the same key", async (store, { key }, runs) => {
    const second = await runs.reopen();

    const results = await Promise.all(
      [store, second, store, second].map((to, index) => to.post(key, messageOf(`${index}`, "k"))),
    );

    const stored = results.filter((result) => result.status === "stored");
    expect(stored).toHaveLength(1);
    const [position] = stored.map(positionOf);
    const others = results.filter((result) => result.status !== "stored");
    expect(others).toEqual(others.map(() => ({ status: "duplicate", position, receipt: null })));
    expect(await store.posts(key)).toHaveLength(1);
  });

  test.waiting("knows no key of a run that was deleted and created again", async (store, { key }, runs) => {
    await runs.post(key, messageOf("1", "k"));
    const claimed = await runs.claim(key, leaseOf("ann"));
    await runs.commit(claimed, { received: [{ idempotencyKey: "r", receipt: "1" }], ...released() });
    await store.delete([key]);
    await runs.create("run");

    expect(await store.receipt(key, "r")).toBeNull();
    expect((await store.post(key, messageOf("2", "k"))).status).toBe("stored");
    expect(textsOf(await store.posts(key))).toEqual(["2"]);
  });
}

function receiving(test: StoreTest): void {
  test("knows the key of what a commit has received: also of a run that has ended, and in another connection", async (store, runs) => {
    const run = await runs.create("run");
    await runs.create("other");
    const received = [{ idempotencyKey: "k", receipt: '"done"' }];
    await runs.commit(run, { ticks: batchOf(1), received });
    const second = await runs.reopen();

    for (const one of [store, second]) {
      expect(await one.receipt(run.key, "k")).toBe('"done"');
      expect(await one.post(run.key, messageOf("1", "k"))).toMatchObject({ status: "duplicate", receipt: '"done"' });
      expect(await one.receipt(keyOf("other"), "k")).toBeNull();
    }
    expect(await store.posts(run.key)).toEqual([]);
    await runs.commit(run, { ...released(summaryOf("completed")) });
    expect(await second.receipt(run.key, "k")).toBe('"done"');
    expect((await second.post(run.key, messageOf("1", "k"))).status).toBe("duplicate");
  });

  test.held("keeps the first message with a key: received twice, and posted before", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf('"posted"', "posted"));
    const received = ["k", "posted"].map((idempotencyKey) => ({ idempotencyKey, receipt: '"first"' }));
    await runs.commit(run, { received });

    await runs.commit(run, { received: [{ idempotencyKey: "k", receipt: '"second"' }] });

    expect(await store.receipt(run.key, "k")).toBe('"first"');
    expect(await store.receipt(run.key, "posted")).toBeNull();
    expect((await store.posts(run.key)).map((post) => post.position)).toEqual([position]);
  });

  test.held("knows nothing of what a refused commit has received", async (store, run) => {
    const [result] = await store.commit([
      commitOf({ ...run, epoch: 7 }, { received: [{ idempotencyKey: "k", receipt: "1" }] }),
    ]);

    expect(result).toEqual({ status: "fenced" });
    expect(await store.receipt(run.key, "k")).toBeNull();
  });

  test.held("returns the receipt of a post by its key, and by no other's", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1", "k"));

    expect(await store.receipt(run.key, "k")).toBeNull();
    await runs.commit(run, { receipts: [{ position, receipt: "{}" }] });
    expect(await store.receipt(run.key, "k")).toBe("{}");
    expect(await store.receipt(run.key, "K")).toBeNull();
    expect(await store.receipt(keyOf("run", "other"), "k")).toBeNull();
  });
}

function receipts(test: StoreTest): void {
  test.held("returns the receipt of a position, and none before", async (store, run, runs) => {
    const [one, two] = [await runs.post(run.key, messageOf("1")), await runs.post(run.key, messageOf("2"))];

    const before = await store.receipt(run.key, two);
    await runs.commit(run, { receipts: [{ position: two, receipt: '"two"' }] });

    expect(before).toBeNull();
    expect(await store.receipt(run.key, two)).toBe('"two"');
    expect(await store.receipt(run.key, one)).toBeNull();
    expect(textsOf(await store.posts(run.key))).toEqual(["1"]);
  });

  test.held("keeps the first of two receipts of one post", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1"));
    await runs.commit(run, { receipts: [{ position, receipt: '"first"' }] });

    await runs.commit(run, { receipts: [{ position, receipt: '"second"' }] });

    expect(await store.receipt(run.key, position)).toBe('"first"');
  });

  test.held("returns and takes receipts for the run's own posts only", async (store, run, runs) => {
    await runs.create("other");
    await runs.create("run", { tenant: "other" });
    const position = await runs.post(keyOf("other"), messageOf("1"));
    const foreign = await runs.post(keyOf("run", "other"), messageOf("1"));

    const wrong = [position, foreign, foreign + 1_000].map((at) => ({ position: at, receipt: '"wrong"' }));
    await runs.commit(run, { receipts: wrong });

    expect(await store.posts(keyOf("other"))).toHaveLength(1);
    expect(await store.posts(keyOf("run", "other"))).toHaveLength(1);
    expect(await store.receipt(keyOf("other"), position)).toBeNull();
    expect(await store.receipt(keyOf("run", "other"), foreign)).toBeNull();
    expect(await store.receipt(run.key, position)).toBeNull();
  });

  test.held("keeps receipts after the run has ended", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1"));

    const parts = { receipts: [{ position, receipt: "{}" }], ...released(summaryOf("failed")) };
    await runs.commit(run, parts);

    expect(await store.receipt(run.key, position)).toBe("{}");
  });

  test.held("takes receipts of a run that has ended from who still holds it", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1"));
    await runs.commit(run, { summary: summaryOf("completed") });

    await runs.commit(run, { receipts: [{ position, receipt: "{}" }], release: true });

    expect(await store.receipt(run.key, position)).toBe("{}");
  });
}

function reading(test: StoreTest): void {
  test("returns an owner the posts of all runs that it holds, in order over all of them", async (store, runs) => {
    await runs.create("one");
    await runs.create("two", { tenant: "other" });
    await runs.create("theirs", { owner: "bob" });
    await runs.createWaiting("free");
    const keys = [keyOf("two", "other"), keyOf("one"), keyOf("theirs"), keyOf("free"), keyOf("two", "other")];
    for (const [index, key] of keys.entries()) await runs.post(key, messageOf(`${index}`));

    expect(textsOf(await store.posts({ owner: "ann" }))).toEqual(["0", "1", "4"]);
    expect(textsOf(await store.posts({ owner: "bob" }))).toEqual(["2"]);
    expect(await store.posts({ owner: "unknown" })).toEqual([]);
  });

  test("returns an owner no posts with a receipt, and none of runs that it released or lost", async (store, runs) => {
    const [done, given, lost] = [await runs.create("done"), await runs.create("given"), await runs.create("lost")];
    const position = await runs.post(done.key, messageOf("1"));
    await runs.post(given.key, messageOf("2"));
    await runs.post(lost.key, messageOf("3"));

    await runs.commitAll(commitOf(done, { receipts: [{ position, receipt: "{}" }] }), commitOf(given, released()));
    await runs.claim(lost.key, leaseOf("bob", startMs + leaseMs));

    expect(await store.posts({ owner: "ann" })).toEqual([]);
    expect(textsOf(await store.posts({ owner: "bob" }))).toEqual(["3"]);
  });

  test("returns the posts of one run whoever holds it", async (store, runs) => {
    await runs.create("held", { owner: "bob" });
    await runs.createWaiting("free");
    await runs.post(keyOf("held"), messageOf("1"));
    await runs.post(keyOf("free"), messageOf("2"));

    expect(textsOf(await store.posts(keyOf("held")))).toEqual(["1"]);
    expect(textsOf(await store.posts(keyOf("free")))).toEqual(["2"]);
  });
}
