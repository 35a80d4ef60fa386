import type { RunPage, RunQuery, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, keyOf, startMs, summaryOf } from "./rows.js";
import { creationOf, type RunOptions, type Runs, released } from "./runs.js";

export function listSuite(test: StoreTest): void {
  describe("listing runs: order and pages", () => paging(test));
  describe("listing runs: what happens between pages", () => changingPages(test));
  describe("listing runs: filters", () => filtering(test));
  describe("listing runs: versions", () => byVersion(test));
  describe("listing runs: values of inputs", () => byInput(test));
}

export type Query = Omit<RunQuery, "tenant" | "limit"> & Partial<RunQuery>;

const list = (store: RunStore, query: Query = {}): Promise<RunPage> =>
  store.list({ tenant: "acme", limit: 100, ...query });

const idsOf = (page: RunPage): string[] => page.runs.map((run) => run.key.runId);

/** Reads pages from a cursor to the end, with a limit on their number. */
async function* pagesOf(store: RunStore, query: Query): AsyncGenerator<RunPage> {
  let page = await list(store, query);
  for (let count = 0; count < 1_000; count++) {
    expect(page.runs.length).toBeLessThanOrEqual(query.limit ?? 100);
    yield page;
    if (page.cursor === null) return;
    page = await list(store, { ...query, cursor: page.cursor });
  }
  expect.unreachable("the pages never end");
}

/** Ids of all pages. */
export async function idsOfPages(store: RunStore, query: Query): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of pagesOf(store, query)) ids.push(...idsOf(page));
  return ids;
}

async function createNumbered(runs: Runs, count: number, options: RunOptions = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
  await runs.commitAll(...ids.map((id, index) => creationOf(id, { createdAtMs: startMs + index, ...options })));
  return ids.reverse();
}

function paging(test: StoreTest): void {
  test("returns the newest first, however they were created", async (store, runs) => {
    await runs.create("middle", { createdAtMs: startMs + 2 });
    await runs.create("newest", { createdAtMs: startMs + 3 });
    await runs.create("oldest", { createdAtMs: startMs + 1 });

    expect(idsOf(await list(store))).toEqual(["newest", "middle", "oldest"]);
  });

  test("returns the runs as they are stored", async (store, runs) => {
    const run = await runs.create("run", { labels: { a: "1" } });
    await runs.commit(run, released(summaryOf("waiting", { waiting: "[1]", wakeAtMs: 7 })));

    expect(await list(store)).toEqual({ runs: [await store.run(run.key)], cursor: null });
  });

  test.held("returns no run of an unknown tenant", async (store) => {
    expect(await list(store, { tenant: "other" })).toEqual({ runs: [], cursor: null });
  });

  test("returns every run once over pages, and no cursor with the last", async (store, runs) => {
    const ids = await createNumbered(runs, 7);

    const pages: string[][] = [];
    for await (const page of pagesOf(store, { limit: 3 })) pages.push(idsOf(page));

    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  test("returns no cursor with a page that holds just the rest", async (store, runs) => {
    const ids = await createNumbered(runs, 6);
    const first = await list(store, { limit: 3 });

    const last = await list(store, { limit: 3, cursor: first.cursor as string });

    expect(idsOf(last)).toEqual(ids.slice(3));
    expect(last.cursor).toBeNull();
  });

  test("returns every run once over pages when all were created in the same millisecond", async (store, runs) => {
    const ids = await createNumbered(runs, 10, { createdAtMs: startMs });
    const all = idsOf(await list(store));

    const paged = await idsOfPages(store, { limit: 3 });

    expect([...all].sort()).toEqual([...ids].sort());
    expect(paged).toEqual(all);
  });
}

function changingPages(test: StoreTest): void {
  test("returns every old run once while new ones are created between the pages", async (store, runs) => {
    const ids = await createNumbered(runs, 9);
    const paged: string[] = [];
    let created = 0;

    for await (const page of pagesOf(store, { limit: 2 })) {
      paged.push(...idsOf(page));
      await runs.create(`new-${created++}`, { createdAtMs: startMs + 1_000 + created });
    }

    expect(paged).toEqual(ids);
    expect(created).toBe(5);
  });

  test("continues after a cursor whose run was deleted", async (store, runs) => {
    const ids = await createNumbered(runs, 5, { owner: null });
    const first = await list(store, { limit: 2 });
    await store.delete(first.runs.map((run) => run.key));

    const next = await list(store, { limit: 2, cursor: first.cursor as string });

    expect(idsOf(next)).toEqual(ids.slice(2, 4));
  });

  test("keeps the filter over pages", async (store, runs) => {
    await createNumbered(runs, 6, { labels: { kind: "a" } });
    await runs.create("other", { createdAtMs: startMs + 2, labels: { kind: "b" } });

    const paged = await idsOfPages(store, { limit: 2, labels: { kind: "a" } });

    expect(paged).toHaveLength(6);
    expect(paged).not.toContain("other");
  });

  test("continues with a cursor of another connection", async (store, runs) => {
    const ids = await createNumbered(runs, 4);
    const first = await list(store, { limit: 2 });

    const next = await list(await runs.reopen(), { limit: 2, cursor: first.cursor as string });

    expect(idsOf(next)).toEqual(ids.slice(2));
  });

  test("returns up to a thousand at once", async (store, runs) => {
    await createNumbered(runs, 1_001);

    const page = await list(store, { limit: 1_000 });

    expect(page.runs).toHaveLength(1_000);
    expect(page.cursor).not.toBeNull();
  });
}

/** Creates one run that fits every filter of the tests below, and for each filter one run that differs in it. */
async function createVaried(runs: Runs): Promise<void> {
  const fitting = {
    createdAtMs: startMs + 10,
    workflow: "invoice",
    version: "1.5.0",
    labels: { region: "eu", tier: "1" },
  };
  const varied: Record<string, RunOptions> = {
    fits: {},
    workflow: { workflow: "order" },
    version: { version: "1.4.0" },
    unknown: { version: null },
    label: { labels: { region: "us", tier: "1" } },
    fewer: { labels: { region: "eu" } },
    old: { createdAtMs: startMs },
    new: { createdAtMs: startMs + 20 },
    status: {},
    late: {},
    live: {},
  };
  for (const [id, options] of Object.entries(varied)) {
    const run = await runs.create(id, { ...fitting, ...options });
    if (id === "live") continue;
    const status = id === "status" ? "failed" : "completed";
    const atMs = startMs + (id === "late" ? 200 : 100);
    await runs.commit(run, released(summaryOf(status, { atMs })));
  }
}

const everyFilter: Query = {
  workflow: "invoice",
  version: "1.5.0",
  status: ["completed", "running"],
  labels: { region: "eu", tier: "1" },
  createdAfterMs: startMs,
  createdBeforeMs: startMs + 20,
  endedBeforeMs: startMs + 200,
};

function filtering(test: StoreTest): void {
  test("names every tenant that has a run, once", async (store, runs) => {
    expect(await store.tenants()).toEqual([]);
    for (const [index, tenant] of ["b", "", "a", "b"].entries()) await runs.create(`run-${index}`, { tenant });
    await store.delete([{ tenant: "a", runId: "run-2" }]);

    const held = await store.tenants();
    const gone = await runs.create("gone", { owner: null, tenant: "gone" });
    await store.delete([gone.key]);

    expect(held.sort()).toEqual(["", "a", "b"]);
    expect((await store.tenants()).sort()).toEqual(["", "a", "b"]);
  });

  test("returns the runs that every filter takes", async (store, runs) => {
    await createVaried(runs);

    expect(idsOf(await list(store, everyFilter))).toEqual(["fits"]);
  });

  for (const [filter, expected] of [
    ["workflow", ["workflow"]],
    ["version", ["unknown", "version"]],
    ["status", ["status"]],
    ["labels", ["fewer", "label"]],
    ["createdAfterMs", ["old"]],
    ["createdBeforeMs", ["new"]],
    ["endedBeforeMs", ["late", "live"]],
  ] as const) {
    test(`returns ${expected.join(" and ")} as well without the filter ${filter}`, async (store, runs) => {
      await createVaried(runs);
      const { [filter]: _, ...others } = everyFilter;

      expect(idsOf(await list(store, others)).sort()).toEqual(["fits", ...expected].sort());
    });
  }

  test.held("returns nothing for an empty list, and everything for an empty set of labels", async (store) => {
    expect(await list(store, { status: [] })).toEqual({ runs: [], cursor: null });
    expect(idsOf(await list(store, { labels: {} }))).toEqual(["run"]);
  });

  test("leaves out the very moments of createdAfterMs, createdBeforeMs and endedBeforeMs", async (store, runs) => {
    const run = await runs.create("run", { createdAtMs: startMs });
    await runs.commit(run, { summary: summaryOf("completed", { atMs: startMs + 5 }) });
    const count = async (query: Query) => (await list(store, query)).runs.length;

    expect([await count({ createdAfterMs: startMs }), await count({ createdAfterMs: startMs - 1 })]).toEqual([0, 1]);
    expect([await count({ createdBeforeMs: startMs }), await count({ createdBeforeMs: startMs + 1 })]).toEqual([0, 1]);
    expect([await count({ endedBeforeMs: startMs + 5 }), await count({ endedBeforeMs: startMs + 6 })]).toEqual([0, 1]);
  });

  test.held("does not count a run as ended that continues again", async (store, run, runs) => {
    await runs.commit(run, { summary: summaryOf("failed") });
    await runs.commit(run, { summary: summaryOf("running", { atMs: startMs + 9 }) });

    expect(idsOf(await list(store, { endedBeforeMs: startMs + 1_000 }))).toEqual([]);
    expect(idsOf(await list(store, { status: ["running"] }))).toEqual(["run"]);
  });

  test("compares labels as a whole and by their own names", async (store, runs) => {
    await runs.create("run", { labels: { region: "eu-west" } });

    const wrong: Record<string, string>[] = [
      { region: "eu" },
      { region: "EU-WEST" },
      { regio: "eu-west" },
      { region: "" },
      { constructor: "" },
    ];
    const found = await Promise.all(wrong.map((labels) => list(store, { labels })));

    expect(found.map(idsOf)).toEqual(wrong.map(() => []));
    expect(idsOf(await list(store, { labels: { region: "eu-west" } }))).toEqual([keyOf("run").runId]);
  });
}

function byVersion(test: StoreTest): void {
  test("finds a run by the version that has continued it last", async (store, runs) => {
    const run = await runs.create("run", { version: "1.4.0" });
    await runs.create("unknown");
    await runs.commit(run, { ticks: batchOf(1), version: "1.5.0" });
    await runs.commit(run, { ticks: batchOf(2) });

    expect(await store.run(run.key)).toMatchObject({ version: "1.5.0", ticks: 2 });
    expect(idsOf(await list(store, { version: "1.5.0" }))).toEqual(["run"]);
    expect(idsOf(await list(store, { version: "1.4.0" }))).toEqual([]);
    await runs.commit(run, { ...released(), ticks: batchOf(3), version: null });
    expect(await store.run(run.key)).toMatchObject({ version: null, ticks: 3, status: "waiting" });
    expect(idsOf(await list(store, {}))).toEqual(["unknown", "run"]);
    expect(idsOf(await list(store, { version: "" }))).toEqual([]);
  });

  test("lists the runs of a version in pages, with other filters", async (store, runs) => {
    const ids = await createNumbered(runs, 7, { version: "2" });
    await runs.create("other", { version: "1", createdAtMs: startMs + 3 });

    expect(await idsOfPages(store, { version: "2", limit: 2 })).toEqual(ids);
    expect(await idsOfPages(store, { version: "2", limit: 2, order: "oldest" })).toEqual([...ids].reverse());
    expect(await idsOfPages(store, { version: "2", limit: 3, status: ["running"], workflow: "order" })).toEqual(ids);
    expect(await idsOfPages(store, { version: "2", limit: 3, search: "run-3" })).toEqual(["run-3"]);
  });
}

function byInput(test: StoreTest): void {
  test("finds runs by each value of their input, as a whole and by its own name", async (store, runs) => {
    await runs.create("one", { index: { order: ["A-7"], tags: ["red", "blue"] }, createdAtMs: startMs + 1 });
    await runs.create("two", { index: { order: ["A-77"], tags: ["red"] }, createdAtMs: startMs + 2 });
    await runs.create("three", { labels: { order: "A-7" }, createdAtMs: startMs + 3 });
    const found = async (index: Record<string, string>) => idsOf(await list(store, { index }));

    expect(await found({ order: "A-7" })).toEqual(["one"]);
    expect(await found({ tags: "red" })).toEqual(["two", "one"]);
    expect(await found({ tags: "red", order: "A-77" })).toEqual(["two"]);
    expect(await found({ tags: "blue", order: "A-77" })).toEqual([]);
    for (const wrong of [{ order: "a-7" }, { orde: "A-7" }, { order: "" }, { constructor: "" }, { order: "A-%" }])
      expect(await found(wrong)).toEqual([]);
    expect(await found({})).toEqual(["three", "two", "one"]);
    expect(idsOf(await list(store, { index: { order: "A-7" }, tenant: "other" }))).toEqual([]);
  });

  test("finds a run once, whose list has a value twice, and values of any text", async (store, runs) => {
    const texts = ["twice", "twice", "", "ü 𝄞", "a=b:c", "'; DROP TABLE runs; --", "x".repeat(255)];
    await runs.create("run", { index: { tags: texts } });

    for (const text of texts) expect(idsOf(await list(store, { index: { tags: text } }))).toEqual(["run"]);
  });

  test("lists the runs of a value in pages, with other filters", async (store, runs) => {
    const ids = await createNumbered(runs, 7, { index: { order: ["A-7"] }, labels: { region: "eu" }, version: "2" });
    await runs.create("other", { index: { order: ["A-8"] }, labels: { region: "eu" }, createdAtMs: startMs + 3 });
    const index = { order: "A-7" };
    const more = { status: ["running"], workflow: "order", version: "2", labels: { region: "eu" } } as const;

    expect(await idsOfPages(store, { index, limit: 2 })).toEqual(ids);
    expect(await idsOfPages(store, { index, limit: 2, order: "oldest" })).toEqual([...ids].reverse());
    expect(await idsOfPages(store, { index, limit: 3, ...more })).toEqual(ids);
    expect(await idsOfPages(store, { index, limit: 3, search: "run-3" })).toEqual(["run-3"]);
    expect(await idsOfPages(store, { index, createdAfterMs: startMs + 4 })).toEqual(ids.slice(0, 2));
    expect(await idsOfPages(store, { index, workflow: "invoice" })).toEqual([]);
  });

  test("forgets the values of a run that is deleted, also for a new run of its id", async (store, runs) => {
    const run = await runs.create("run", { owner: null, index: { order: ["A-7"] } });
    await store.delete([run.key]);
    await runs.create("run", { index: { order: ["A-8"] } });

    expect(idsOf(await list(store, { index: { order: "A-7" } }))).toEqual([]);
    expect(idsOf(await list(store, { index: { order: "A-8" } }))).toEqual(["run"]);
  });

  test("keeps the values of the first of two runs with one id", async (store, runs) => {
    await runs.create("run", { index: { order: ["A-7"] } });
    await store.commit([creationOf("run", { index: { order: ["A-8"] } })]);

    expect(idsOf(await list(store, { index: { order: "A-8" } }))).toEqual([]);
    expect(idsOf(await list(store, { index: { order: "A-7" } }))).toEqual(["run"]);
  });
}
