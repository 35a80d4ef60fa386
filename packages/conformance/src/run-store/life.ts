import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf, keyOf, leaseMs, leaseOf, snapshotOf, startMs, summaryOf } from "./rows.js";
import { creationOf, released, statusesOf } from "./runs.js";

export function lifeSuite(test: StoreTest): void {
  describe("creating runs", () => creating(test));
  describe("creating runs that are there", () => creatingTwice(test));
  describe("the state of a run", () => changing(test));
  describe("reading runs", () => reading(test));
}

function creating(test: StoreTest): void {
  test("keeps everything that a run is created with", async (store, runs) => {
    const record = {
      workflow: "invoice",
      input: '{"text":"ü \\u0000 𝄞"}',
      code: "code-7",
      version: "1.5.0-ü",
      createdAtMs: startMs,
      startAtMs: startMs - 5,
      labels: { region: "eu", priority: "" },
      forkedFrom: { runId: "parent", tick: 12 },
      queue: { name: "mail", key: "ü", priority: -3 },
    };

    const index = { order: ["A-1"], tags: ["ü", ""] };
    await runs.create("run", { ...record, index, owner: "ann", untilMs: startMs + 7 });

    expect(await store.run(keyOf("run"))).toEqual({
      ...record,
      key: { tenant: "acme", runId: "run" },
      status: "running",
      updatedAtMs: startMs,
      endedAtMs: null,
      wakeAtMs: startMs - 5,
      outcome: null,
      waiting: null,
      ticks: 0,
      lastEvent: -1,
      lease: { owner: "ann", untilMs: startMs + 7 },
      epoch: 1,
      hasPlace: false,
    });
  });

  test("holds a run created without a lease without an owner, before its first epoch", async (store, runs) => {
    await runs.create("run", { owner: null });

    expect(await store.run(keyOf("run"))).toMatchObject({ lease: null, epoch: 0, status: "running" });
  });

  test("schedules a run that starts later than it is created", async (store, runs) => {
    await runs.create("run", { owner: null, startAtMs: startMs + 500 });

    expect(await store.run(keyOf("run"))).toMatchObject({ status: "scheduled", wakeAtMs: startMs + 500 });
  });

  test("takes ticks, events, a snapshot and a summary with the creation", async (store, runs) => {
    const summary = summaryOf("waiting", { waiting: '["answer"]', wakeAtMs: startMs + 9 });
    const creation = {
      ...creationOf("run"),
      ticks: batchOf(1, 3),
      events: [eventOf(0)],
      snapshot: snapshotOf(3),
      summary,
    };

    await runs.commitAll(creation);

    const expected = { status: "waiting", ticks: 3, lastEvent: 0, waiting: '["answer"]', wakeAtMs: startMs + 9 };
    expect(await store.run(keyOf("run"))).toMatchObject(expected);
    expect(await store.snapshot(keyOf("run"))).toEqual(snapshotOf(3));
  });
}

function creatingTwice(test: StoreTest): void {
  test("refuses a second creation with the run as it is, and changes nothing", async (store, runs) => {
    const run = await runs.create("run", { input: '"first"' });
    await runs.commit(run, { ticks: batchOf(1) });
    const before = await store.run(run.key);
    const again = {
      ...creationOf("run", { input: '"second"', owner: "bob" }),
      ticks: batchOf(1),
      release: true as const,
    };

    const result = await runs.commitOne(again);

    expect(result).toEqual({ status: "exists", run: before });
    expect(await store.run(run.key)).toEqual(before);
  });

  test("creates a run once in one batch", async (store) => {
    const results = await store.commit([creationOf("run", { input: "1" }), creationOf("run", { input: "2" })]);

    expect(statusesOf(results)).toEqual(["stored", "exists"]);
    expect(await store.run(keyOf("run"))).toMatchObject({ input: "1" });
  });

  test("creates a run once over concurrent connections", async (store, runs) => {
    const second = await runs.reopen();

    const results = await Promise.all([
      store.commit([creationOf("run", { owner: "ann" })]),
      second.commit([creationOf("run", { owner: "bob" })]),
    ]);

    expect(statusesOf(results.flat()).sort()).toEqual(["exists", "stored"]);
  });

  test("knows no run that was not created", async (store, runs) => {
    expect(await store.run(keyOf("none"))).toBeNull();
    await runs.expectNothing(keyOf("none"), 1);
  });
}

function changing(test: StoreTest): void {
  test.held("takes over the whole summary", async (store, run, runs) => {
    await runs.commit(run, { summary: summaryOf("waiting", { wakeAtMs: 5, waiting: "[1]" }) });
    const waiting = await store.run(run.key);
    await runs.commit(run, { summary: summaryOf("running") });
    const running = await store.run(run.key);

    expect(waiting).toMatchObject({ status: "waiting", wakeAtMs: 5, waiting: "[1]", outcome: null, endedAtMs: null });
    expect(running).toMatchObject({ status: "running", wakeAtMs: null, waiting: null, outcome: null });
  });

  for (const status of ["completed", "failed", "cancelled", "timedOut"] as const) {
    test.held(`has ended when its summary says "${status}"`, async (store, run, runs) => {
      await runs.commit(run, { summary: summaryOf(status, { atMs: startMs + 70, outcome: "{}" }) });

      expect(await store.run(run.key)).toMatchObject({ status, endedAtMs: startMs + 70, outcome: "{}" });
    });
  }

  test.ended("lets an ended run continue for who claims it as ended", async (store, { key }, runs) => {
    const run = await runs.claim(key, { ...leaseOf("bob"), ended: true });
    await runs.commit(run, { summary: summaryOf("running"), ticks: batchOf(1) });

    expect(await store.run(key)).toMatchObject({ status: "running", endedAtMs: null, outcome: null, ticks: 1 });
    expect((await store.post(key, { idempotencyKey: null, atMs: startMs, text: "1" })).status).toBe("stored");
    expect(await store.claimDue({ ...leaseOf("cid", startMs + leaseMs), limit: 9 })).toHaveLength(1);
  });

  test.held("keeps the status until the next summary", async (store, run, runs) => {
    await runs.commit(run, released(summaryOf("waiting", { waiting: "[1]" })));

    const again = await runs.claim(run.key, leaseOf("bob"));
    await runs.commit(again, { ticks: batchOf(1) });

    expect(await store.run(run.key)).toMatchObject({ status: "waiting", waiting: "[1]" });
  });
}

function reading(test: StoreTest): void {
  test.held("was updated at its last ticks and at its last summary", async (store, run, runs) => {
    await runs.commit(run, { ticks: { ...batchOf(1), atMs: startMs + 20 } });
    const afterTicks = await store.run(run.key);
    await runs.commit(run, { summary: summaryOf("waiting", { atMs: startMs + 30 }) });

    expect(afterTicks?.updatedAtMs).toBe(startMs + 20);
    expect((await store.run(run.key))?.updatedAtMs).toBe(startMs + 30);
  });

  test.held("returns copies: what was read does not change later", async (store, run, runs) => {
    const before = await store.run(run.key);
    const text = JSON.stringify(before);

    await runs.commit(run, { ticks: batchOf(1), ...released() });

    expect(JSON.stringify(before)).toBe(text);
  });

  test("shows a second connection everything that was stored", async (store, runs) => {
    const run = await runs.create("run", { labels: { a: "b" } });
    const parts = {
      ticks: batchOf(1, 2),
      events: [eventOf(0)],
      snapshot: snapshotOf(2),
      summary: summaryOf("waiting"),
    };
    await runs.commit(run, parts);
    const posted = await store.post(run.key, { idempotencyKey: "k", atMs: startMs, text: '"hi"' });

    const second = await runs.reopen();

    expect(posted.status).toBe("stored");
    expect(await second.run(run.key)).toEqual(await store.run(run.key));
    expect(await second.ticks(run.key, { after: 0, limit: 9 })).toEqual([batchOf(1, 2)]);
    expect(await second.events(run.key, { after: -1, limit: 9 })).toEqual([eventOf(0)]);
    expect(await second.snapshot(run.key)).toEqual(snapshotOf(2));
    expect((await second.posts(run.key)).map((post) => post.text)).toEqual(['"hi"']);
  });
}
