import { durationRange, SLOT_MS } from "millrace/engine";
import type {
  HistogramBar,
  HistogramQuery,
  Measure,
  RunStore,
  RunSummary,
  StatisticsQuery,
  StatisticsRow,
  StoredStatus,
} from "millrace/runtime";
import { describe, expect } from "vitest";
import { idsOfPages } from "./listing.js";
import type { StoreTest } from "./opened-store.js";
import { startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf, type Runs, released } from "./runs.js";

export function statisticsSuite(test: StoreTest): void {
  describe("statistics", () => counting(test));
  describe("statistics: what is asked for", () => asking(test));
  describe("statistics: deleting", () => deleting(test));
  describe("kinds of failures", () => failing(test));
  describe("histogram", () => drawing(test));
}

const measureOf = (parts: Partial<Measure> = {}): Measure => ({
  workflow: "order",
  step: null,
  version: null,
  status: "completed",
  atMs: startMs,
  range: durationRange(100),
  failure: null,
  ...parts,
});

const slot = Math.floor(startMs / SLOT_MS);

async function rowsOf(store: RunStore, query: Partial<StatisticsQuery> = {}): Promise<StatisticsRow[]> {
  const all: StatisticsQuery = {
    tenant: "acme",
    kind: "runs",
    fromSlot: slot,
    toSlot: slot + 1,
    slots: 1,
    ...query,
  };
  const rows = await (store.statistics as NonNullable<RunStore["statistics"]>)(all);
  return [...rows].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

const countsOf = async (store: RunStore, query: Partial<StatisticsQuery> = {}): Promise<number> =>
  (await rowsOf(store, query)).reduce((sum, { count }) => sum + count, 0);

function counting(test: StoreTest): void {
  test.held("counts equal measures together, with their first and last time", async (store, run, runs) => {
    const measures = [measureOf({ atMs: startMs + 7 }), measureOf(), measureOf({ range: 3 })];
    await runs.commit(run, { measures });
    await runs.commit(run, { measures: [measureOf({ atMs: startMs + 20 })] });

    expect(await rowsOf(store)).toEqual(
      [
        {
          ...{ workflow: "order", step: null, version: null, failure: null, period: 0, status: "completed" },
          ...{ range: 3, count: 1, firstAtMs: startMs, lastAtMs: startMs },
        },
        {
          ...{ workflow: "order", step: null, version: null, failure: null, period: 0, status: "completed" },
          ...{ range: durationRange(100), count: 3, firstAtMs: startMs, lastAtMs: startMs + 20 },
        },
      ].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    );
  });

  test.held("counts nothing of a commit that is refused", async (store, run, runs) => {
    const { status } = await runs.commitOne(commitOf({ ...run, epoch: 9 }, { measures: [measureOf()] }));
    expect(status).toBe("fenced");
    const exists = await runs.commitOne({ ...creationOf("run"), measures: [measureOf()] });
    expect(exists.status).toBe("exists");

    expect(await rowsOf(store)).toEqual([]);
  });

  test("counts those of every commit of a transaction, and of two connections", async (store, runs) => {
    const creations = ["a", "b", "c"].map((id) => ({ ...creationOf(id), measures: [measureOf(), measureOf()] }));
    await runs.commitAll(...creations);
    const other = await runs.reopen();
    await other.commit([{ ...creationOf("d"), measures: [measureOf()] }]);

    expect(await countsOf(store)).toBe(7);
    expect(await countsOf(other)).toBe(7);
  });

  test("keeps many that several connections count at once", async (store, runs) => {
    const other = await runs.reopen();
    const measures = Array.from({ length: 20 }, (_, index) => measureOf({ range: index % 4, step: `s${index % 5}` }));
    const all = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? store : other).commit([{ ...creationOf(`run-${index}`), measures }]),
    );
    await Promise.all(all);

    expect(await countsOf(store, { kind: "attempts" })).toBe(800);
  });

  test.held("are kept when their run is deleted", async (store, run, runs) => {
    await runs.commit(run, { ...released(summaryOf("completed")), measures: [measureOf()] });
    expect(await store.delete([run.key])).toBe(1);

    expect(await countsOf(store)).toBe(1);
  });
}

function asking(test: StoreTest): void {
  const failure = { id: "00000000000000ab", text: '{"message":"no"}' };

  test.held("are of one kind: runs, attempts or failures", async (store, run, runs) => {
    const failed = measureOf({ status: "failed", step: "pay", range: 0, failure });
    await runs.commit(run, { measures: [measureOf(), measureOf({ step: "pay" }), failed] });

    expect(await rowsOf(store)).toMatchObject([{ step: null, failure: null, count: 1 }]);
    expect(await rowsOf(store, { kind: "attempts" })).toMatchObject([{ step: "pay", failure: null, count: 1 }]);
    expect(await rowsOf(store, { kind: "failures" })).toMatchObject([{ step: "pay", failure, count: 1 }]);
  });

  test.held("are apart by workflow, step, version and status", async (store, run, runs) => {
    const measures = [
      measureOf(),
      measureOf({ workflow: "invoice" }),
      measureOf({ version: "1.5.0" }),
      measureOf({ version: "1.6.0" }),
      measureOf({ status: "failed" }),
    ];
    await runs.commit(run, { measures });

    expect(await rowsOf(store)).toHaveLength(5);
    expect(await countsOf(store, { workflows: ["order"] })).toBe(4);
    expect(await countsOf(store, { workflows: ["invoice", "order"] })).toBe(5);
    expect(await countsOf(store, { workflows: ["other"] })).toBe(0);
    expect(await countsOf(store, { workflows: [] })).toBe(0);
    expect(await countsOf(store, { tenant: "other" })).toBe(0);
  });

  test.held("are summed by period, and left out outside of the range", async (store, run, runs) => {
    const at = (later: number): Measure => measureOf({ atMs: (slot + later) * SLOT_MS });
    await runs.commit(run, { measures: [at(-1), at(0), at(1), at(2), at(3), at(4), at(5)] });

    const rows = await rowsOf(store, { fromSlot: slot, toSlot: slot + 5, slots: 2 });
    expect(rows.map(({ period, count }) => [period, count]).sort()).toEqual([
      [0, 2],
      [1, 2],
      [2, 1],
    ]);
  });

  for (const text of ["it's", 'quo"te', "back\\slash", "Straße", "\u{1f682}", "a,b{c}", "%_"])
    test.held(`keep the names ${JSON.stringify(text)}`, async (store, run, runs) => {
      await runs.commit(run, { measures: [measureOf({ workflow: text, step: text, version: text })] });

      expect(await rowsOf(store, { kind: "attempts", workflows: [text] })).toMatchObject([
        { workflow: text, step: text, version: text, count: 1 },
      ]);
    });
}

function deleting(test: StoreTest): void {
  test("deletes the counts before a slot, of one tenant or of all", async (store, runs) => {
    const measures = [measureOf(), measureOf({ atMs: startMs + SLOT_MS })];
    await runs.commitAll({ ...creationOf("a"), measures }, { ...creationOf("a", { tenant: "other" }), measures });
    const both = { toSlot: slot + 2 };
    const remove = store.deleteStatistics as NonNullable<RunStore["deleteStatistics"]>;

    expect(await remove("acme", slot + 1)).toBe(1);
    expect(await countsOf(store, both)).toBe(1);
    expect(await countsOf(store, { ...both, tenant: "other" })).toBe(2);
    expect(await remove(null, slot + 2)).toBe(3);
    expect(await countsOf(store, { ...both, tenant: "other" })).toBe(0);
    await runs.commitAll({ ...creationOf("b"), measures });
    expect(await countsOf(store, both)).toBe(2);
  });
}

/** @param how Kind of its failure, and the step. */
async function createFailed(runs: Runs, runId: string, how: Pick<RunSummary, "failure" | "failedStep">): Promise<void> {
  const run = await runs.create(runId);
  await runs.commit(run, released(summaryOf("failed", how)));
}

function failing(test: StoreTest): void {
  test("finds the runs that a failure of the kind has ended", async (store, runs) => {
    await createFailed(runs, "a", { failure: "0001" });
    await createFailed(runs, "b", { failure: "0001" });
    await createFailed(runs, "c", { failure: "0002" });
    await runs.createEnded("d");

    expect((await idsOfPages(store, { failure: "0001" })).sort()).toEqual(["a", "b"]);
    expect(await idsOfPages(store, { failure: "0001", limit: 1, order: "oldest" })).toHaveLength(2);
    expect(await idsOfPages(store, { failure: "0002", status: ["failed"], workflow: "order" })).toEqual(["c"]);
    expect(await idsOfPages(store, { failure: "0002", status: ["completed"] })).toEqual([]);
    expect(await idsOfPages(store, { failure: "0003" })).toEqual([]);
    expect(await idsOfPages(store, { failure: "0001", tenant: "other" })).toEqual([]);
  });

  test("finds the runs that failed at a step", async (store, runs) => {
    await createFailed(runs, "a", { failure: "0001", failedStep: "pay" });
    await createFailed(runs, "b", { failure: "0002", failedStep: "pay" });
    await createFailed(runs, "c", { failure: "0003", failedStep: "ship" });
    await createFailed(runs, "d", { failure: "0004" });
    await runs.commitAll({
      ...creationOf("e", { workflow: "invoice" }),
      ...released(summaryOf("timedOut", { failure: "0005", failedStep: "pay" })),
    });

    expect((await idsOfPages(store, { failedStep: "pay" })).sort()).toEqual(["a", "b", "e"]);
    expect(await idsOfPages(store, { failedStep: "pay", limit: 1, order: "oldest" })).toHaveLength(3);
    expect(await idsOfPages(store, { failedStep: "pay", workflow: "invoice" })).toEqual(["e"]);
    expect(await idsOfPages(store, { failedStep: "pay", failure: "0002", status: ["failed"] })).toEqual(["b"]);
    expect(await idsOfPages(store, { failedStep: "pay", status: ["completed"] })).toEqual([]);
    expect(await idsOfPages(store, { failedStep: "PAY" })).toEqual([]);
    expect(await idsOfPages(store, { failedStep: "pay", tenant: "other" })).toEqual([]);
  });

  test("finds a run no more once it continues", async (store, runs) => {
    await createFailed(runs, "a", { failure: "0001", failedStep: "pay" });
    const lease = { owner: "bob", nowMs: startMs + 5, untilMs: startMs + 50, ended: true };
    const again = await runs.claim({ tenant: "acme", runId: "a" }, lease);
    await runs.commit(again, { summary: summaryOf("running") });
    expect(await idsOfPages(store, { failure: "0001" })).toEqual([]);
    expect(await idsOfPages(store, { failedStep: "pay" })).toEqual([]);

    await runs.commit(again, released(summaryOf("failed", { failure: "0002", failedStep: "ship" })));
    expect(await idsOfPages(store, { failure: "0002" })).toEqual(["a"]);
    expect(await idsOfPages(store, { failedStep: "ship" })).toEqual(["a"]);
  });

  test("finds a run that its first commit ends", async (store, runs) => {
    await runs.commitAll({ ...creationOf("a"), ...released(summaryOf("failed", { failure: "0001" })) });

    expect(await idsOfPages(store, { failure: "0001" })).toEqual(["a"]);
  });
}

function drawing(test: StoreTest): void {
  const bars = async (store: RunStore, query: Partial<HistogramQuery> = {}): Promise<HistogramBar[]> => {
    const histogram = store.histogram as NonNullable<RunStore["histogram"]>;
    const found = await histogram({ tenant: "acme", fromMs: startMs, periodMs: 10, periods: 5, ...query });
    return [...found].sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  };
  const textOf = ({ period, status }: HistogramBar): string => `${period} ${status}`;
  const bar = (period: number, status: StoredStatus, count: number): HistogramBar => ({ period, status, count });

  test("counts runs by the time of their creation and by status", async (store, runs) => {
    await runs.create("before", { createdAtMs: startMs - 1 });
    await runs.createEnded("a", { createdAtMs: startMs });
    await runs.createEnded("b", { createdAtMs: startMs + 9 });
    await runs.create("c", { createdAtMs: startMs + 9, labels: { tier: "1" } });
    await runs.create("d", { createdAtMs: startMs + 30, workflow: "invoice", labels: { tier: "1", region: "eu" } });
    await runs.create("e", { createdAtMs: startMs, tenant: "other" });
    const gone = await runs.create("gone", { owner: null });
    await store.delete([gone.key]);

    const all = [bar(0, "completed", 2), bar(0, "running", 1), bar(3, "running", 1)];
    expect(await bars(store)).toEqual(all);
    expect(await bars(store, { workflow: "invoice" })).toEqual([bar(3, "running", 1)]);
    expect(await bars(store, { workflow: "order", status: ["running"] })).toEqual([bar(0, "running", 1)]);
    expect(await bars(store, { labels: { tier: "1" } })).toEqual([bar(0, "running", 1), bar(3, "running", 1)]);
    expect(await bars(store, { labels: { tier: "1", region: "eu" } })).toEqual([bar(3, "running", 1)]);
    expect(await bars(store, { status: ["completed", "running"] })).toEqual(all);
    expect(await bars(store, { status: [] })).toEqual([]);
    expect(await bars(store, { createdAfterMs: startMs + 9 })).toEqual([bar(3, "running", 1)]);
    expect(await bars(store, { createdBeforeMs: startMs + 9 })).toEqual([bar(0, "completed", 1)]);
    expect(await bars(store, { periods: 3 })).toEqual(all.slice(0, 2));
    expect(await bars(store, { workflow: "order", status: ["running", "completed"] })).toEqual(all.slice(0, 2));
    expect(await bars(store, { fromMs: startMs + 5 })).toEqual([
      bar(0, "completed", 1),
      bar(0, "running", 1),
      bar(2, "running", 1),
    ]);
  });

  test("counts the runs of a kind of failure, and of a queue", async (store, runs) => {
    await createFailed(runs, "a", { failure: "0001" });
    await createFailed(runs, "b", { failure: "0002", failedStep: "pay" });
    await runs.create("c", { queue: { name: "mail", key: "", priority: 0 } });

    expect(await bars(store, { failure: "0001" })).toEqual([bar(0, "failed", 1)]);
    expect(await bars(store, { failedStep: "pay" })).toEqual([bar(0, "failed", 1)]);
    expect(await bars(store, { queue: "mail" })).toEqual([bar(0, "running", 1)]);
  });
}
