import type { RunKey, RunPage } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf, keyOf, leaseMs, leaseOf, messageOf, snapshotOf, startMs } from "./rows.js";
import { commitOf, creationOf, type Runs, released, statusesOf } from "./runs.js";

export function hostileSuite(test: StoreTest): void {
  describe("odd names", () => names(test));
  describe("odd names of records", () => recordNames(test));
  describe("odd labels", () => texts(test));
  describe("odd texts, times and cursors", () => values(test));
  describe("tenants", () => tenants(test));
  describe("tenants: leases and pages", () => leasesOfTenants(test));
}

/** Names that break quoting, patterns, paths, sorting and comparing. All differ. */
const oddNames: readonly string[] = [
  "",
  " ",
  "run",
  "Run",
  "run ",
  " run",
  "'",
  "''",
  '"',
  "`",
  "a'; DROP TABLE runs; --",
  "%",
  "%%",
  "_",
  "r_n",
  "r%",
  "\\",
  "\\'",
  "*",
  "?",
  "$1",
  ":key",
  "@key",
  "[0]",
  "{}",
  "null",
  "NULL",
  "0",
  "00",
  "1e3",
  "1000",
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "a/b",
  "a|b",
  "a:b",
  "a,b",
  "a\tb",
  "a\nb",
  "a\r\nb",
  "\u001f",
  "\u00e9",
  "e\u0301",
  "ß",
  "ss",
  "İ",
  "\u200b",
  "𝄞",
  "👩‍👩‍👧",
  "مرحبا",
  "x".repeat(255),
  `${"x".repeat(254)}y`,
  "ü".repeat(127),
  "😀".repeat(63),
];

/** The run that each page has is that of its odd name. */
function expectOneEach(pages: readonly RunPage[]): void {
  const found = pages.map(({ runs }) => runs.map(({ key }) => key.runId));
  expect(found).toEqual(oddNames.map((_, index) => [`${index}`]));
}

function names(test: StoreTest): void {
  test("keeps runs apart whose ids are alike", async (store) => {
    const results = await store.commit(oddNames.map((id, index) => creationOf(id, { input: `${index}` })));

    expect(statusesOf(results)).toEqual(oddNames.map(() => "stored"));
    const found = await Promise.all(oddNames.map((id) => store.run(keyOf(id))));
    expect(found.map((run) => run?.input)).toEqual(oddNames.map((_, index) => `${index}`));
    expect(found.map((run) => run?.key)).toEqual(oddNames.map((id) => keyOf(id)));
  });

  test("keeps tenants apart whose names are alike", async (store, runs) => {
    await runs.commitAll(...oddNames.map((tenant, i) => creationOf("run", { tenant, input: `${i}` })));

    const pages = await Promise.all(oddNames.map((tenant) => store.list({ tenant, limit: 10 })));

    expect(pages.map((page) => page.runs.map((run) => run.input))).toEqual(oddNames.map((_, index) => [`${index}`]));
  });

  test("keeps keys apart that differ only by where the tenant ends and the id begins", async (store, runs) => {
    const keys = ["", "/", ":", "|", ",", ".", "\u001f", "'", '"', '","'].flatMap((separator) => [
      keyOf(`c${separator}d`, "b"),
      keyOf("d", `b${separator}c`),
    ]);
    const unique = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];

    await runs.commitAll(...unique.map(({ runId, tenant }, i) => creationOf(runId, { tenant, input: `${i}` })));

    const found = await Promise.all(unique.map((key) => store.run(key)));
    expect(found.map((run) => run?.input)).toEqual(unique.map((_, index) => `${index}`));
    expect(await store.delete([unique[0] as RunKey])).toBe(0);
  });

  test("keeps workflows, owners and idempotency keys apart that are alike", async (store, runs) => {
    await runs.commitAll(...oddNames.map((name, i) => creationOf(`${i}`, { workflow: name, owner: name })));
    for (const name of oddNames) await runs.post(keyOf("0"), messageOf("1", name));

    const pages = await Promise.all(oddNames.map((workflow) => store.list({ tenant: "acme", workflow, limit: 9 })));
    expectOneEach(pages);
    for (const [index, owner] of oddNames.entries())
      expect(await store.renew(leaseOf(owner))).toEqual([keyOf(`${index}`)]);
    expect((await store.posts(keyOf("0"))).map((post) => post.idempotencyKey)).toEqual(oddNames);
  });

  test("watches, claims and deletes a run by an odd key and no other", async (store, runs) => {
    await runs.commitAll(...oddNames.map((id) => creationOf(id, { owner: null })));

    const claimed = await store.claim(keyOf("%"), leaseOf("bob"));
    const count = await store.delete([keyOf("_"), keyOf("*")]);

    expect(claimed?.run.key).toEqual(keyOf("%"));
    expect(await store.renew(leaseOf("bob"))).toEqual([keyOf("%")]);
    expect(count).toBe(2);
    expect((await store.list({ tenant: "acme", limit: 1_000 })).runs).toHaveLength(oddNames.length - 2);
  });
}

function recordNames(test: StoreTest): void {
  test.held("keeps records apart whose kinds and ids are alike", async (store, run, runs) => {
    const keys = oddNames.flatMap((name) => [
      { tenant: "acme", kind: name, id: "id" },
      { tenant: "acme", kind: "kind", id: name },
    ]);

    await runs.commit(run, { records: keys.map((key, index) => ({ ...key, expected: 0, text: `${index}` })) });

    const found = await Promise.all(keys.map((key) => store.record(key)));
    expect(found.map((record) => record?.text)).toEqual(keys.map((_, index) => `${index}`));
  });

  test("lists records of kinds and tenants that are alike, each for itself", async (store) => {
    const keys = oddNames.flatMap((name) => [
      { tenant: "acme", kind: name, id: name },
      { tenant: name, kind: "kind", id: name },
    ]);
    await store.writeRecords(keys.map((key) => ({ ...key, expected: 0, text: "0" })));

    const pages = await Promise.all(keys.map(({ tenant, kind }) => store.records({ tenant, kind, limit: 9 })));

    expect(pages.map(({ records }) => records.map(({ id }) => id))).toEqual(keys.map(({ id }) => [id]));
  });
}

function texts(test: StoreTest): void {
  /** Makes labels like JSON does: `__proto__` is a name like any other. */
  const labelsOf = (name: string, value: string): Record<string, string> => Object.fromEntries([[name, value]]);

  test("returns odd labels back as they were", async (store, runs) => {
    const labels = Object.fromEntries(oddNames.map((name, index) => [name, oddNames.at(-index) ?? ""]));
    await runs.create("run", { labels });

    const found = await store.run(keyOf("run"));

    expect(Object.entries(found?.labels ?? {}).sort()).toEqual(Object.entries(labels).sort());
  });

  test("finds runs by odd label names, and by no other", async (store, runs) => {
    await runs.commitAll(...oddNames.map((name, i) => creationOf(`${i}`, { labels: labelsOf(name, "value") })));

    const pages = await Promise.all(
      oddNames.map((name) => store.list({ tenant: "acme", labels: labelsOf(name, "value"), limit: 9 })),
    );

    expectOneEach(pages);
  });

  test("finds runs by odd label values, and by no other", async (store, runs) => {
    await runs.commitAll(...oddNames.map((value, i) => creationOf(`${i}`, { labels: { name: value } })));

    const pages = await Promise.all(oddNames.map((name) => store.list({ tenant: "acme", labels: { name }, limit: 9 })));

    expectOneEach(pages);
  });
}

function values(test: StoreTest): void {
  test.held("returns texts back to the letter, also long ones", async (store, run, runs) => {
    const long = JSON.stringify({ text: `${"ü𝄞'\"\\%\n".repeat(20_000)}` });
    const odd = JSON.stringify(oddNames);
    const blob = { hash: store.hash(long), text: long };

    const parts = {
      ticks: batchOf(1, 1, long),
      events: [eventOf(0, odd)],
      snapshot: snapshotOf(1, long),
      blobs: [blob],
    };
    await runs.commit(run, parts);
    const position = await runs.post(run.key, messageOf(long));
    await runs.commit(run, { receipts: [{ position, receipt: odd }] });

    expect((await store.ticks(run.key, { after: 0, limit: 1 }))[0]?.text).toBe(long);
    expect((await store.events(run.key, { after: -1, limit: 1 }))[0]?.text).toBe(odd);
    expect((await store.snapshot(run.key))?.text).toBe(long);
    expect(await store.blob(blob.hash)).toBe(long);
    expect(await store.receipt(run.key, position)).toBe(odd);
  });

  test("keeps texts as they are written: white space, order of names, and numbers", async (store, runs) => {
    const text = ' { "b" : 1.0, "a" : 1e400, "a": 12345678901234567890 } ';
    await runs.create("run", { input: text });

    expect((await store.run(keyOf("run")))?.input).toBe(text);
  });

  test("keeps times and numbers far from here", async (store, runs) => {
    const far = 8_640_000_000_000_000;
    await runs.create("late", { owner: null, createdAtMs: startMs, startAtMs: far });
    await runs.create("early", { owner: null, createdAtMs: -far, startAtMs: -far });

    expect(await store.run(keyOf("late"))).toMatchObject({ startAtMs: far, wakeAtMs: far });
    expect(await store.run(keyOf("early"))).toMatchObject({ createdAtMs: -far });
    expect(await store.nextWakeAtMs()).toBe(-far);
    expect((await store.list({ tenant: "acme", limit: 1 })).cursor).not.toBeNull();
  });

  test("refuses pages of a size that is none, and cursors that are none", async (store) => {
    for (const limit of [0, -1, 2.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refused = { code: "OPTION_INVALID", details: { option: "limit" } };
      await expect(store.list({ tenant: "acme", limit }), `runs, ${limit}`).rejects.toMatchObject(refused);
      await expect(store.records({ tenant: "acme", kind: "k", limit }), `records, ${limit}`).rejects.toMatchObject(
        refused,
      );
    }
    const refused = { code: "OPTION_INVALID", details: { option: "cursor" } };
    await expect(store.list({ tenant: "acme", limit: 10, cursor: "bm9uZQ" })).rejects.toMatchObject(refused);
  });

  test("returns no run of another tenant for an invalid cursor", async (store, runs) => {
    await runs.create("own");
    await runs.create("theirs", { tenant: "other" });
    const cursors = ["", "x", "0", "' OR 1=1 --", "null", "{}", "[]", "-1:-1", "é", "AAAA", "9".repeat(500)];

    for (const cursor of cursors) {
      const page = await store.list({ tenant: "acme", limit: 10, cursor }).catch(() => null);
      expect(page?.runs.filter((run) => run.key.tenant !== "acme") ?? []).toEqual([]);
    }
    expect((await store.list({ tenant: "acme", limit: 10 })).runs).toHaveLength(1);
  });
}

const [acme, other] = [keyOf("run", "acme"), keyOf("run", "other")];

function tenants(test: StoreTest): void {
  /** Creates a run with the same id in both tenants; only the run of "acme" owns anything. */
  async function createBoth(runs: Runs): Promise<number> {
    const run = await runs.create("run");
    await runs.createWaiting("aside");
    const position = await runs.post(acme, messageOf("1", "k"));
    await runs.post(acme, messageOf("2"));
    const receipts = [{ position, receipt: "{}" }];
    const parts = { ticks: batchOf(1, 2), events: [eventOf(0)], snapshot: snapshotOf(2), receipts };
    await runs.commitAll(commitOf(run, parts), creationOf("run", { tenant: "other", owner: "bob" }));
    return position;
  }

  test("read nothing of each other's runs of the same id", async (store, runs) => {
    const position = await createBoth(runs);

    expect(await store.run(other)).toMatchObject({ key: other, ticks: 0, lastEvent: -1, lease: { owner: "bob" } });
    await runs.expectNothing(other, position);
    expect((await store.list({ tenant: "other", limit: 9 })).runs.map((run) => run.key)).toEqual([other]);
  });

  test("change nothing of each other's runs of the same id", async (store, runs) => {
    await createBoth(runs);
    const before = [await store.run(acme), await store.posts(acme), await store.ticks(acme, { after: 0, limit: 9 })];
    const run = { key: other, owner: "bob", epoch: 1 };

    const parts = {
      ticks: batchOf(1, 5, '"other"'),
      events: [eventOf(0, '"other"')],
      snapshot: snapshotOf(2, '"other"'),
    };
    await runs.commit(run, { ...parts, prune: { ticks: 5, snapshots: 9 } });
    await runs.commit(run, released());
    await runs.claim(other, leaseOf("cid"));
    await store.claimDue({ ...leaseOf("dan", startMs + 1), limit: 9 });

    expect([await store.run(acme), await store.posts(acme), await store.ticks(acme, { after: 0, limit: 9 })]).toEqual(
      before,
    );
    expect(await store.events(acme, { after: -1, limit: 9 })).toEqual([eventOf(0)]);
    expect(await store.snapshot(acme)).toEqual(snapshotOf(2));
  });

  test("delete nothing of each other's runs of the same id", async (store, runs) => {
    const position = await createBoth(runs);
    await runs.commit({ key: other, owner: "bob", epoch: 1 }, released());

    expect(await store.delete([other])).toBe(1);

    expect(await store.run(acme)).not.toBeNull();
    expect(await store.receipt(acme, position)).toBe("{}");
    expect(await store.snapshot(acme)).toEqual(snapshotOf(2));
    expect(await store.posts(acme)).toHaveLength(1);
  });
}

function leasesOfTenants(test: StoreTest): void {
  test("do not hold each other's runs of the same id for the same owner", async (store, runs) => {
    await runs.create("run", { owner: "ann" });
    await runs.create("run", { owner: null, tenant: "other" });

    const results = await store.commit([commitOf({ key: other, owner: "ann", epoch: 1 }, { ticks: batchOf(1) })]);

    expect(statusesOf(results)).toEqual(["fenced"]);
    expect(await store.renew(leaseOf("ann", startMs + leaseMs))).toEqual([acme]);
  });

  test("do not page into each other with a cursor", async (store, runs) => {
    for (const tenant of ["acme", "other"]) {
      for (const id of ["a", "b", "c"]) await runs.create(id, { tenant });
    }
    const first = await store.list({ tenant: "acme", limit: 1 });

    const next = await store.list({ tenant: "other", limit: 9, cursor: first.cursor as string }).catch(() => null);

    expect(next?.runs.filter((run) => run.key.tenant !== "other") ?? []).toEqual([]);
  });
}
