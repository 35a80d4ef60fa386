import type { RecordKey, RecordWrite, RunCommit, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { keyOf, summaryOf } from "./rows.js";
import { commitOf, creationOf, type HeldRun, type Runs, released, statusesOf } from "./runs.js";

export function recordSuite(test: StoreTest): void {
  describe("records", () => writing(test));
  describe("records: of many writers", () => manyWriters(test));
  describe("records: outside of runs", () => outsideRuns(test));
  describe("records: in pages", () => pages(test));
}

const session: RecordKey = { tenant: "acme", kind: "session", id: "s1" };
const writeOf = (expected: number, text: string | null, key: RecordKey = session): RecordWrite => ({
  ...key,
  expected,
  text,
});
const commitRecords = (run: HeldRun, ...records: RecordWrite[]) => commitOf(run, { records });

async function expectConflict(runs: Runs, run: HeldRun, write: RecordWrite): Promise<void> {
  const { tenant, kind, id } = write;
  expect(await runs.commitOne(commitRecords(run, write))).toEqual({
    status: "conflict",
    records: [{ tenant, kind, id }],
  });
}

function writing(test: StoreTest): void {
  test.held("begin with version 1 and rise by one", async (store, run, runs) => {
    const none = await store.record(session);
    await runs.commitAll(commitRecords(run, writeOf(0, '"a"')));
    const first = await store.record(session);
    await runs.commitAll(commitRecords(run, writeOf(1, '"b"')), commitRecords(run, writeOf(2, '"c"')));

    expect(none).toBeNull();
    expect(first).toEqual({ version: 1, text: '"a"' });
    expect(await store.record(session)).toEqual({ version: 3, text: '"c"' });
  });

  test.held("refuse any version but the one expected", async (store, run, runs) => {
    await expectConflict(runs, run, writeOf(1, "1"));
    await runs.commitAll(commitRecords(run, writeOf(0, "1")), commitRecords(run, writeOf(1, "2")));

    for (const expected of [0, 1, 3]) await expectConflict(runs, run, writeOf(expected, "9"));

    expect(await store.record(session)).toEqual({ version: 2, text: "2" });
  });

  test.held("are deleted by a write without text, and begin anew", async (store, run, runs) => {
    await runs.commitAll(commitRecords(run, writeOf(0, "1")));
    await expectConflict(runs, run, writeOf(2, null));

    await runs.commitAll(commitRecords(run, writeOf(1, null)));

    expect(await store.record(session)).toBeNull();
    await expectConflict(runs, run, writeOf(1, "2"));
    await runs.commitAll(commitRecords(run, writeOf(0, "2")));
    expect(await store.record(session)).toEqual({ version: 1, text: "2" });
  });

  test("are there for whoever deletes what must not be there", async (store, runs) => {
    const run = await runs.create("run");
    await runs.commitAll(commitRecords(run, writeOf(0, "1")));

    await expectConflict(runs, run, writeOf(0, null));
    await runs.commitAll(commitRecords(run, writeOf(0, null, { ...session, id: "s2" })));

    expect(await store.record(session)).toEqual({ version: 1, text: "1" });
  });

  test("are written together or not at all, and the refusal names those that conflict", async (store, runs) => {
    const run = await runs.create("run");
    const others = ["s2", "s3", "s4"].map((id) => ({ ...session, id }));
    const [two, three, four] = others as [RecordKey, RecordKey, RecordKey];

    const writes = [writeOf(0, "1"), writeOf(2, "1", two), writeOf(0, "1", three), writeOf(1, "1", four)];
    const result = await runs.commitOne(commitRecords(run, ...writes));

    expect(result).toEqual({ status: "conflict", records: [two, four] });
    const read = await Promise.all([session, two, three, four].map((key) => store.record(key)));
    expect(read).toEqual([null, null, null, null]);
  });
}

function manyWriters(test: StoreTest): void {
  test.held("are distinct by tenant, kind and id", async (store, run, runs) => {
    const keys = [
      session,
      { ...session, tenant: "other" },
      { ...session, kind: "other" },
      { ...session, id: "other" },
      { tenant: "acme", kind: "sessions", id: "1" },
      { tenant: "acmes", kind: "ession", id: "s1" },
    ];

    await runs.commitAll(...keys.map((key, index) => commitRecords(run, writeOf(0, `${index}`, key))));

    const read = await Promise.all(keys.map((key) => store.record(key)));
    expect(read.map((record) => record?.text)).toEqual(keys.map((_, index) => `${index}`));
  });

  test("see what earlier commits of the batch wrote", async (store, runs) => {
    const [one, two] = [await runs.create("one"), await runs.create("two")];

    const results = await store.commit([
      commitRecords(one, writeOf(0, '"one"')),
      commitRecords(two, writeOf(0, '"late"')),
      commitRecords(two, writeOf(1, '"two"')),
    ]);

    expect(statusesOf(results)).toEqual(["stored", "conflict", "stored"]);
    expect(await store.record(session)).toEqual({ version: 2, text: '"two"' });
  });

  test("are written with runs without an owner, or neither is", async (store) => {
    const create = (runId: string, expected: number): RunCommit => ({
      ...creationOf(runId, { owner: null }),
      records: [writeOf(expected, `"${runId}"`), writeOf(0, runId, { ...session, tenant: "", id: runId })],
    });

    const results = await store.commit([create("one", 0), create("two", 0), create("one", 1), create("three", 1)]);

    expect(statusesOf(results)).toEqual(["stored", "conflict", "exists", "stored"]);
    const found = await Promise.all(["one", "two", "three"].map((runId) => store.run(keyOf(runId))));
    expect(found.map((run) => run !== null)).toEqual([true, false, true]);
    expect(await store.record(session)).toEqual({ version: 2, text: '"three"' });
    const page = await store.records({ tenant: "", kind: session.kind, limit: 9 });
    expect(page.records.map(({ id }) => id)).toEqual(["one", "three"]);
  });

  test("are written by one of many who expect the same version at once", async (store, runs) => {
    const second = await runs.reopen();
    const writers: HeldRun[] = [];
    for (const id of ["a", "b", "c", "d"]) writers.push(await runs.create(id));

    const results = await Promise.all(
      writers.map((run, index) => (index % 2 ? store : second).commit([commitRecords(run, writeOf(0, `${index}`))])),
    );

    expect(statusesOf(results.flat()).sort()).toEqual(["conflict", "conflict", "conflict", "stored"]);
    const winner = results.findIndex(([result]) => result?.status === "stored");
    expect(await store.record(session)).toEqual({ version: 1, text: `${winner}` });
  });

  test.held("stay when the run that wrote them is deleted", async (store, run, runs) => {
    await runs.commit(run, { records: [writeOf(0, "1")], ...released(summaryOf("completed")) });

    await store.delete([run.key]);

    expect(await store.record(session)).toEqual({ version: 1, text: "1" });
  });
}

function outsideRuns(test: StoreTest): void {
  test("are written where there is no run at all", async (store) => {
    expect(await store.writeRecords([writeOf(0, "1")])).toEqual([]);
    expect(await store.writeRecords([writeOf(1, "2")])).toEqual([]);

    expect(await store.record(session)).toEqual({ version: 2, text: "2" });
    expect(await store.tenants()).toEqual([]);
  });

  test("are written all or none, and the answer names those that conflict", async (store) => {
    const [two, three] = ["s2", "s3"].map((id) => ({ ...session, id })) as [RecordKey, RecordKey];
    await store.writeRecords([writeOf(0, "1", three)]);

    const writes = [writeOf(0, "1"), writeOf(1, "1", two), writeOf(0, "2", three)];
    const conflicts = await store.writeRecords(writes);

    expect(conflicts).toEqual([two, three]);
    expect(await Promise.all([session, two, three].map((key) => store.record(key)))).toEqual([
      null,
      null,
      { version: 1, text: "1" },
    ]);
  });

  test("are written quietly like others", async (store) => {
    const quietly = { quiet: true };
    expect(await store.writeRecords([writeOf(0, "1")], quietly)).toEqual([]);
    expect(await store.writeRecords([writeOf(1, "2")], quietly)).toEqual([]);
    expect(await store.writeRecords([writeOf(1, "3")], quietly)).toEqual([session]);
    expect(await store.record(session)).toEqual({ version: 2, text: "2" });

    expect(await store.writeRecords([writeOf(2, null)], quietly)).toEqual([]);
    expect(await store.writeRecords([writeOf(2, "4")], quietly)).toEqual([session]);
    expect(await store.record(session)).toBeNull();
  });

  test("are deleted by a write without text", async (store) => {
    await store.writeRecords([writeOf(0, "1")]);

    expect(await store.writeRecords([writeOf(2, null)])).toEqual([session]);
    expect(await store.writeRecords([writeOf(1, null)])).toEqual([]);

    expect(await store.record(session)).toBeNull();
    expect(await store.records({ tenant: "acme", kind: "session", limit: 10 })).toEqual({ records: [], cursor: null });
  });

  test.held("conflict with what runs have written, and the other way round", async (store, run, runs) => {
    await runs.commitAll(commitRecords(run, writeOf(0, "1")));

    expect(await store.writeRecords([writeOf(0, "9")])).toEqual([session]);
    expect(await store.writeRecords([writeOf(1, "2")])).toEqual([]);

    await expectConflict(runs, run, writeOf(1, "9"));
    expect(await store.record(session)).toEqual({ version: 2, text: "2" });
  });

  test("are written by one of many who expect the same version at once", async (store, runs) => {
    const second = await runs.reopen();

    const answers = await Promise.all(
      [store, second, store, second].map((one, index) => one.writeRecords([writeOf(0, `${index}`)])),
    );

    expect(answers.filter((conflicts) => conflicts.length === 0)).toHaveLength(1);
    const winner = answers.findIndex((conflicts) => conflicts.length === 0);
    expect(await second.record(session)).toEqual({ version: 1, text: `${winner}` });
  });
}

/**
 * Ids sorted by code points: a surrogate pair comes after U+FFFD, and an id that no prefix can be counted up to comes
 * last.
 */
const sortedIds = [
  "",
  "A",
  "a",
  "a%",
  "a_",
  "aa",
  "a\u{10ffff}",
  "b",
  "é",
  "\ud7ff",
  "\ufffd",
  "😀",
  "\u{10ffff}",
  "\u{10ffff}x",
];

async function writeIds(store: RunStore, ids: readonly string[], key: RecordKey = session): Promise<void> {
  expect(await store.writeRecords(ids.map((id) => writeOf(0, JSON.stringify(id), { ...key, id })))).toEqual([]);
}

async function idsOf(store: RunStore, query: { readonly prefix?: string; readonly limit: number }): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<RunStore["records"]>> = await store.records({
      tenant: "acme",
      kind: "session",
      ...query,
      ...(cursor !== null && { cursor }),
    });
    expect(page.records.length).toBeLessThanOrEqual(query.limit);
    ids.push(...page.records.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== null);
  return ids;
}

function pages(test: StoreTest): void {
  test("come by id with their versions and texts", async (store) => {
    await writeIds(store, ["b", "a"]);
    await store.writeRecords([writeOf(1, "2", { ...session, id: "b" })]);

    const page = await store.records({ tenant: "acme", kind: "session", limit: 2 });

    expect(page).toEqual({
      records: [
        { ...session, id: "a", version: 1, text: '"a"' },
        { ...session, id: "b", version: 2, text: "2" },
      ],
      cursor: null,
    });
  });

  test("are in the order of code points, whatever the page size", async (store) => {
    await writeIds(store, [...sortedIds].reverse());

    for (const limit of [1, 2, 5, sortedIds.length, 1_000]) expect(await idsOf(store, { limit })).toEqual(sortedIds);
  });

  test("hold the ids with a prefix, however odd it is", async (store) => {
    await writeIds(store, sortedIds);

    for (const prefix of [...sortedIds, "c", "\u{10ffff}\u{10ffff}"])
      expect(await idsOf(store, { prefix, limit: 2 })).toEqual(sortedIds.filter((id) => id.startsWith(prefix)));
  });

  test("continue after records that have come and gone between two pages", async (store) => {
    await writeIds(store, ["a", "c", "e", "g"]);
    const query = { tenant: "acme", kind: "session", limit: 2 };
    const first = await store.records(query);
    await store.writeRecords([writeOf(1, null, { ...session, id: "c" })]);
    await writeIds(store, ["b", "d"]);

    const second = await store.records({ ...query, cursor: first.cursor as string });

    expect(first.records.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(second.records.map(({ id }) => id)).toEqual(["d", "e"]);
  });

  test("hold nothing of other tenants and kinds", async (store) => {
    await writeIds(store, ["a"]);
    await writeIds(store, ["b"], { ...session, tenant: "acm" });
    await writeIds(store, ["c"], { ...session, kind: "sessio" });
    await writeIds(store, ["d"], { tenant: "acmes", kind: "ession", id: "" });

    expect(await idsOf(store, { limit: 10 })).toEqual(["a"]);
    expect(await store.records({ tenant: "none", kind: "session", limit: 10 })).toEqual({ records: [], cursor: null });
  });
}
