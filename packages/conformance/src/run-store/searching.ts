import type { CountQuery, RunCount, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import { idsOfPages, type Query } from "./listing.js";
import type { StoreTest } from "./opened-store.js";
import { startMs, summaryOf } from "./rows.js";
import { creationOf, type RunOptions, type Runs, released } from "./runs.js";

export function searchSuite(test: StoreTest): void {
  describe("listing runs: search", () => searching(test));
  describe("listing runs: search among many", () => searchingMany(test));
  describe("listing runs: the oldest first", () => ordering(test));
  describe("counting runs", () => counting(test));
}

const failureOf = (message: string): string =>
  JSON.stringify({
    status: "failed",
    failure: { stepName: "pay", error: { name: "Error", message, stack: "at /srv/x.js" } },
  });

async function createFailed(runs: Runs, runId: string, message: string): Promise<void> {
  const run = await runs.create(runId);
  await runs.commit(run, released(summaryOf("failed", { outcome: failureOf(message) })));
}

function searching(test: StoreTest): void {
  test("finds a run by the beginning of its id, by a part of a label's value and by a part of its error", async (store, runs) => {
    await runs.create("order-17");
    await runs.create("re-order");
    await runs.create("labelled", { labels: { of: "Customer Order 9" } });
    await createFailed(runs, "failed", "No ORDER of that name.");

    expect((await idsOfPages(store, { search: "order" })).sort()).toEqual(["failed", "labelled", "order-17"]);
    expect(await idsOfPages(store, { search: "order-17" })).toEqual(["order-17"]);
    expect(await idsOfPages(store, { search: "ORDER-17" })).toEqual(["order-17"]);
    expect(await idsOfPages(store, { search: "nothing" })).toEqual([]);
    expect(await idsOfPages(store, { search: "order", tenant: "other" })).toEqual([]);
  });

  test("finds nothing in a stack, in the name of a step or of a label, or in a label of the runtime", async (store, runs) => {
    await createFailed(runs, "failed", "no");
    await runs.create("labelled", { labels: { secret: "no", "millrace.of": "internal" } });

    for (const search of ["srv", "pay", "stepName", "secret", "internal", "millrace"])
      expect(await idsOfPages(store, { search }), search).toEqual([]);
  });

  test("finds nothing in what completed or was cancelled", async (store, runs) => {
    for (const status of ["completed", "cancelled"] as const) {
      const run = await runs.create(status);
      await runs.commit(run, released(summaryOf(status, { outcome: failureOf("needle") })));
    }

    expect(await idsOfPages(store, { search: "needle" })).toEqual([]);
  });

  const strange = [
    "100%",
    "a_b",
    "back\\slash",
    'quo"te',
    "it's",
    "tab\there",
    "line\nbreak",
    "Straße",
    "\u{1f682}",
    "[x]",
    "(?:",
    "$1",
  ];
  for (const text of strange) {
    test(`takes ${JSON.stringify(text)} for what it is`, async (store, runs) => {
      await runs.create(`${text}-id`);
      await runs.create("by-label", { labels: { of: `some ${text} here` } });
      await createFailed(runs, "by-error", `some ${text} here`);
      await runs.create("other", { labels: { of: "100 aXb back/slash quote its tabs" } });

      expect((await idsOfPages(store, { search: text })).sort()).toEqual(["by-error", "by-label", `${text}-id`].sort());
    });
  }

  test("finds only what the other filters leave", async (store, runs) => {
    const options: Record<string, RunOptions> = {
      "x-1": { workflow: "order", labels: { tier: "1" } },
      "x-2": { workflow: "order", labels: { tier: "2" } },
      "x-3": { workflow: "invoice", labels: { tier: "1" } },
      "x-4": { workflow: "order", labels: { tier: "1" }, createdAtMs: startMs + 50 },
    };
    for (const [id, one] of Object.entries(options)) await runs.create(id, one);

    expect(
      await idsOfPages(store, { search: "x", workflow: "order", labels: { tier: "1" }, createdBeforeMs: startMs + 50 }),
    ).toEqual(["x-1"]);
    expect(await idsOfPages(store, { search: "x", status: ["completed"] })).toEqual([]);
    expect((await idsOfPages(store, { search: "x", status: ["running"], workflow: "invoice" })).sort()).toEqual([
      "x-3",
    ]);
    expect(await idsOfPages(store, { search: "x", status: [] })).toEqual([]);
  });
}

function searchingMany(test: StoreTest): void {
  for (const order of ["newest", "oldest"] as const) {
    test(`returns every run once over pages, the ${order} first, however many it looks at`, async (store, runs) => {
      const count = 5_003;
      const creations = Array.from({ length: count }, (_, index) =>
        creationOf(index % 1_000 === 1 ? `found-${index}` : `run-${index}`, {
          createdAtMs: startMs + Math.floor(index / 3),
        }),
      );
      for (let from = 0; from < count; from += 1_000) await runs.commitAll(...creations.slice(from, from + 1_000));
      const found = ["found-1", "found-1001", "found-2001", "found-3001", "found-4001", "found-5001"];
      const expected = order === "oldest" ? found : [...found].reverse();

      expect(await idsOfPages(store, { search: "found", order })).toEqual(expected);
      expect(await idsOfPages(store, { search: "found", order, limit: 2 })).toEqual(expected);
      expect(await idsOfPages(store, { search: "found", order, workflow: "order", status: ["running"] })).toEqual(
        expected,
      );
    });
  }
}

function ordering(test: StoreTest): void {
  test("returns every run once over pages, also those of one millisecond", async (store, runs) => {
    const ids = Array.from({ length: 9 }, (_, index) => `run-${index}`);
    await runs.commitAll(...ids.map((id, index) => creationOf(id, { createdAtMs: startMs + Math.floor(index / 3) })));
    const newest = await idsOfPages(store, {});

    for (const limit of [1, 2, 4, 9, 10])
      expect(await idsOfPages(store, { order: "oldest", limit })).toEqual([...newest].reverse());
    expect(await idsOfPages(store, { order: "newest" })).toEqual(newest);
  });

  test("keeps every filter", async (store, runs) => {
    const labels = { kind: "a" };
    const ids = Array.from({ length: 5 }, (_, index) => `run-${index}`);
    await runs.commitAll(...ids.map((id, index) => creationOf(id, { createdAtMs: startMs + index, labels })));
    const queries: Query[] = [
      { labels },
      { workflow: "order" },
      { status: ["running"] },
      { workflow: "order", status: ["running"] },
    ];

    for (const query of queries) {
      expect(await idsOfPages(store, { ...query, order: "oldest", limit: 2 })).toEqual(ids);
      const between = { createdAfterMs: startMs, createdBeforeMs: startMs + 4 };
      expect(await idsOfPages(store, { ...query, ...between, order: "oldest", limit: 2 })).toEqual(ids.slice(1, 4));
    }
  });

  test("refuses the cursor of the other order", async (store, runs) => {
    for (const id of ["a", "b", "c"]) await runs.create(id);
    const list = (query: Query) => store.list({ tenant: "acme", limit: 1, ...query });
    const [newest, oldest] = [await list({}), await list({ order: "oldest" })];

    await expect(list({ order: "oldest", cursor: newest.cursor as string })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
    await expect(list({ cursor: oldest.cursor as string })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
}

function counting(test: StoreTest): void {
  const counts = async (store: RunStore, query: Partial<CountQuery> = {}): Promise<RunCount[]> => {
    const found = await store.counts({ tenant: "acme", ...query });
    return found
      .map(({ workflow, status, count }) => ({ workflow, status, count }))
      .sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  };
  const textOf = ({ workflow, status }: RunCount): string => `${workflow} ${status}`;

  test("counts by workflow and status", async (store, runs) => {
    await runs.createEnded("a", { labels: { tier: "1" } });
    await runs.createEnded("b", { labels: { tier: "1", region: "eu" } });
    await runs.createEnded("c", { workflow: "invoice", labels: { tier: "2" } });
    await runs.create("d", { labels: { tier: "1" } });
    await runs.create("e", { tenant: "other" });
    const gone = await runs.create("gone", { owner: null });
    await store.delete([gone.key]);

    expect(await counts(store)).toEqual([
      { workflow: "invoice", status: "completed", count: 1 },
      { workflow: "order", status: "completed", count: 2 },
      { workflow: "order", status: "running", count: 1 },
    ]);
    expect(await counts(store, { workflow: "invoice" })).toEqual([
      { workflow: "invoice", status: "completed", count: 1 },
    ]);
    expect(await counts(store, { labels: { tier: "1" } })).toEqual([
      { workflow: "order", status: "completed", count: 2 },
      { workflow: "order", status: "running", count: 1 },
    ]);
    expect(await counts(store, { labels: { tier: "1", region: "eu" }, workflow: "order" })).toEqual([
      { workflow: "order", status: "completed", count: 1 },
    ]);
  });

  test("counts the runs of many workflows", async (store, runs) => {
    const names = Array.from({ length: 40 }, (_, index) => `flow-${String(index).padStart(2, "0")}`);
    for (const workflow of names) await runs.create(`of ${workflow}`, { workflow });
    await runs.createEnded("ended", { workflow: "flow-07" });

    const found = await counts(store);

    expect(found.filter(({ status }) => status === "running").map(({ workflow }) => workflow)).toEqual(names);
    expect(found.filter(({ workflow }) => workflow === "flow-07")).toEqual([
      { workflow: "flow-07", status: "completed", count: 1 },
      { workflow: "flow-07", status: "running", count: 1 },
    ]);
    expect(found).toHaveLength(41);
  });

  test("counts nothing of a tenant, a workflow or a label that there is not", async (store, runs) => {
    await runs.create("run", { labels: { tier: "1" } });

    for (const query of [
      { tenant: "none" },
      { workflow: "none" },
      { labels: { tier: "2" } },
      { labels: { constructor: "1" } },
    ])
      expect(await counts(store, query)).toEqual([]);
  });
}
