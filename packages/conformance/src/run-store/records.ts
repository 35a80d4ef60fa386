import type { RecordKey, RecordWrite, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { commitOf, commitOne, createRun, expectStored, type HeldRun, released, statusesOf, summaryOf } from "./runs.js";

export function recordSuite(test: StoreTest): void {
  describe("records", () => writing(test));
  describe("records: of many writers", () => manyWriters(test));
}

const session: RecordKey = { tenant: "acme", kind: "session", id: "s1" };
const writeOf = (expected: number, text: string | null, key: RecordKey = session): RecordWrite => ({
  ...key,
  expected,
  text,
});
const commitRecords = (run: HeldRun, ...records: RecordWrite[]) => commitOf(run, { records });

async function expectConflict(store: RunStore, run: HeldRun, write: RecordWrite): Promise<void> {
  const { tenant, kind, id } = write;
  expect(await commitOne(store, commitRecords(run, write))).toEqual({
    status: "conflict",
    records: [{ tenant, kind, id }],
  });
}

function writing(test: StoreTest): void {
  test("begin with version 1 and rise by one", async (store) => {
    const run = await createRun(store, "run");

    const none = await store.record(session);
    await expectStored(store, commitRecords(run, writeOf(0, '"a"')));
    const first = await store.record(session);
    await expectStored(store, commitRecords(run, writeOf(1, '"b"')), commitRecords(run, writeOf(2, '"c"')));

    expect(none).toBeNull();
    expect(first).toEqual({ version: 1, text: '"a"' });
    expect(await store.record(session)).toEqual({ version: 3, text: '"c"' });
  });

  test("refuse any version but the one expected", async (store) => {
    const run = await createRun(store, "run");
    await expectConflict(store, run, writeOf(1, "1"));
    await expectStored(store, commitRecords(run, writeOf(0, "1")), commitRecords(run, writeOf(1, "2")));

    for (const expected of [0, 1, 3]) await expectConflict(store, run, writeOf(expected, "9"));

    expect(await store.record(session)).toEqual({ version: 2, text: "2" });
  });

  test("are deleted by a write without text, and begin anew", async (store) => {
    const run = await createRun(store, "run");
    await expectStored(store, commitRecords(run, writeOf(0, "1")));
    await expectConflict(store, run, writeOf(2, null));

    await expectStored(store, commitRecords(run, writeOf(1, null)));

    expect(await store.record(session)).toBeNull();
    await expectConflict(store, run, writeOf(1, "2"));
    await expectStored(store, commitRecords(run, writeOf(0, "2")));
    expect(await store.record(session)).toEqual({ version: 1, text: "2" });
  });

  test("are written together or not at all, and the refusal names those that conflict", async (store) => {
    const run = await createRun(store, "run");
    const others = ["s2", "s3", "s4"].map((id) => ({ ...session, id }));
    const [two, three, four] = others as [RecordKey, RecordKey, RecordKey];

    const writes = [writeOf(0, "1"), writeOf(2, "1", two), writeOf(0, "1", three), writeOf(1, "1", four)];
    const result = await commitOne(store, commitRecords(run, ...writes));

    expect(result).toEqual({ status: "conflict", records: [two, four] });
    const read = await Promise.all([session, two, three, four].map((key) => store.record(key)));
    expect(read).toEqual([null, null, null, null]);
  });
}

function manyWriters(test: StoreTest): void {
  test("are told apart by tenant, kind and id", async (store) => {
    const run = await createRun(store, "run");
    const keys = [
      session,
      { ...session, tenant: "other" },
      { ...session, kind: "other" },
      { ...session, id: "other" },
      { tenant: "acme", kind: "sessions", id: "1" },
      { tenant: "acmes", kind: "ession", id: "s1" },
    ];

    await expectStored(store, ...keys.map((key, index) => commitRecords(run, writeOf(0, `${index}`, key))));

    const read = await Promise.all(keys.map((key) => store.record(key)));
    expect(read.map((record) => record?.text)).toEqual(keys.map((_, index) => `${index}`));
  });

  test("see what earlier commits of the batch wrote", async (store) => {
    const [one, two] = [await createRun(store, "one"), await createRun(store, "two")];

    const results = await store.commit([
      commitRecords(one, writeOf(0, '"one"')),
      commitRecords(two, writeOf(0, '"late"')),
      commitRecords(two, writeOf(1, '"two"')),
    ]);

    expect(statusesOf(results)).toEqual(["stored", "conflict", "stored"]);
    expect(await store.record(session)).toEqual({ version: 2, text: '"two"' });
  });

  test("are written by one of many who expect the same version at once", async (store, { reopen }) => {
    const second = await reopen();
    const runs: HeldRun[] = [];
    for (const id of ["a", "b", "c", "d"]) runs.push(await createRun(store, id));

    const results = await Promise.all(
      runs.map((run, index) => (index % 2 ? store : second).commit([commitRecords(run, writeOf(0, `${index}`))])),
    );

    expect(statusesOf(results.flat()).sort()).toEqual(["conflict", "conflict", "conflict", "stored"]);
    const winner = results.findIndex(([result]) => result?.status === "stored");
    expect(await store.record(session)).toEqual({ version: 1, text: `${winner}` });
  });

  test("stay when the run that wrote them is deleted", async (store) => {
    const run = await createRun(store, "run");
    await expectStored(store, commitOf(run, { records: [writeOf(0, "1")], ...released(summaryOf("completed")) }));

    await store.delete([run.key]);

    expect(await store.record(session)).toEqual({ version: 1, text: "1" });
  });
}
