import type { RunQuery, RunStore } from "millrace/runtime";
import { expect, it } from "vitest";
import type { SqliteDatabase } from "../src/index.js";
import { openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { commitOne, completed, creationOf, keyOf, ticksOf } from "./runs.js";

/** Runs every method, and gives the texts that were prepared meanwhile. */
async function sqlOfEverything(path: string): Promise<string[]> {
  const texts: string[] = [];
  const raw = openRaw(path);
  const spy: SqliteDatabase = {
    exec: (text) => raw.exec(text),
    close: () => raw.close(),
    prepare: (text) => {
      texts.push(text);
      return raw.prepare(text);
    },
  };
  const store = openStore(path, { driver: { open: () => spy } });
  const key = keyOf("run");
  const held = { key, owner: "ann", epoch: 1 };
  const hash = store.hash("text");
  const record = { tenant: "acme", kind: "session", id: "s", expected: 0, text: "{}" };
  await store.commit([
    {
      ...creationOf("run", "ann", { labels: { a: "1" }, index: { order: ["A-1"] } }),
      records: [record],
      blobs: [{ hash, text: "text" }],
    },
  ]);
  const posted = await store.post(key, { idempotencyKey: "once", atMs: 1, text: "{}" });
  await store.post(key, { idempotencyKey: "once", atMs: 1, text: "{}" });
  const position = posted.status === "stored" ? posted.position : 0;
  await store.posts(key);
  await store.posts({ owner: "ann" });
  await store.commit([
    { ...held, ticks: ticksOf(1), snapshot: { tick: 1, atMs: 1, text: "{}" }, receipts: [{ position, receipt: "{}" }] },
  ]);
  await store.commit([{ ...held, received: [{ idempotencyKey: "received", receipt: "{}" }] }]);
  await store.commit([{ ...held, events: [{ sequence: 0, atMs: 1, text: "{}" }], prune: { ticks: 1, snapshots: 1 } }]);
  await store.commit([{ ...held, records: [{ ...record, expected: 1, text: null }], release: true }]);
  expect(await store.writeRecords([record])).toEqual([]);
  const records = { tenant: "acme", kind: "session", limit: 10 };
  for (const more of [{}, { prefix: "s" }, { cursor: "s" }, { prefix: "s", cursor: "s" }])
    await store.records({ ...records, ...more });
  await store.receipt(key, position);
  await store.receipt(key, "once");
  await store.claim(key, { owner: "bob", nowMs: 2_000, untilMs: 3_000 });
  await store.claim(key, { owner: "eve", nowMs: 2_500, untilMs: 3_500 });
  await store.claimDue({ owner: "cid", nowMs: 4_000, untilMs: 5_000, limit: 10 });
  await store.renew({ owner: "cid", nowMs: 4_000, untilMs: 6_000 });
  await store.nextWakeAtMs({ heldAfterMs: 9_000 });
  await askQueues(store);
  await Promise.all([store.run(key), store.snapshot(key), store.blob(hash), store.record(record)]);
  await store.ticks(key, { after: 0, limit: 10 });
  await store.events(key, { after: -1, limit: 10 });
  for (const query of queries) await store.list({ tenant: "acme", limit: 10, ...query });
  expect(await commitOne(store, { key, owner: "cid", epoch: 3, summary: completed.summary! })).toBe("stored");
  expect(await commitOne(store, { key, owner: "cid", epoch: 3, ...completed })).toBe("stored");
  expect(await store.delete([key])).toBe(1);
  store.watch(() => {})();
  return texts;
}

/** Queues with each kind of limit, while there is room and while there is none. */
async function askQueues(store: RunStore): Promise<void> {
  const rate = { limit: 1, perMs: 1_000 };
  const queues = [{ name: "llm", concurrency: 9, perKey: 1, rate }];
  const runs = ["a", "b", "a", "c"].map((key, index) =>
    creationOf(`queued ${index}`, null, { queue: { name: "llm", key, priority: index } }),
  );
  await store.commit(runs);
  await store.post(keyOf("queued 3"), { idempotencyKey: null, atMs: 1, text: "{}" });
  for (const workflows of [["digest"], undefined]) {
    const of = workflows === undefined ? { queues } : { queues, workflows };
    await store.claimDue({ owner: "dee", nowMs: 4_000, untilMs: 5_000, limit: 10, ...of });
    await store.nextWakeAtMs({ ...of, heldAfterMs: 5_500 });
    await store.claimDue({ owner: "eve", nowMs: 5_500, untilMs: 5_600, limit: 10, ...of });
  }
}

const queries: readonly Partial<RunQuery>[] = [
  {},
  { cursor: Buffer.from("1000:1").toString("base64url") },
  { workflow: "digest", createdAfterMs: 1, createdBeforeMs: 9_999 },
  { workflow: "digest", status: ["failed", "waiting"] },
  { status: ["failed"], createdAfterMs: 1 },
  { endedBeforeMs: 9_999 },
  { labels: { a: "1" } },
  { version: "1.5.0", createdAfterMs: 1 },
  { index: { order: "A-1" }, createdAfterMs: 1 },
  { index: { order: "A-1", tag: "x" }, labels: { a: "1" }, status: ["failed"] },
  { version: "1.5.0", status: ["failed"], workflow: "digest" },
  { failure: "0001", createdAfterMs: 1 },
  { failedStep: "pay", workflow: "digest", createdAfterMs: 1 },
  { queue: "llm", status: ["waiting"], createdAfterMs: 1 },
  { queue: "llm", labels: { a: "1" } },
  { labels: { a: "1", b: "2" }, status: ["completed"], workflow: "digest", endedBeforeMs: 9_999 },
];

/** Small by nature: the processes that share the file, the workflows of a runtime, what a common table expression yields, and one page of results. */
const smallScans = /^SCAN (owners|holder|page|json_each|CONSTANT ROW|\(subquery)/;

it("finds everything by an index: no statement walks a table of runs", async () => {
  const path = temporaryFile();
  const texts = await sqlOfEverything(path);

  const explained = openRaw(path);
  const plans = texts
    .filter((text) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(text) && !text.includes("sqlite_schema"))
    .flatMap((text) =>
      rowsOf(explained, `EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => ({ text, detail: String(detail) })),
    );

  expect(plans.length).toBeGreaterThan(40);
  expect(plans.filter(({ detail }) => detail.startsWith("SCAN") && !smallScans.test(detail))).toEqual([]);
});

it("walks lists in the order of their pages: nothing is sorted", async () => {
  const path = temporaryFile();
  const texts = await sqlOfEverything(path);

  const explained = openRaw(path);
  const lists = texts.filter((text) => text.startsWith("SELECT") && text.includes("AS page"));
  const details = lists.flatMap((text) => rowsOf(explained, `EXPLAIN QUERY PLAN ${text}`).map((row) => row["detail"]));

  const lines = texts.filter((text) => text.includes("place = 0") && text.includes("ORDER BY"));
  expect(lines.length).toBeGreaterThan(3);
  details.push(...lines.flatMap((text) => rowsOf(explained, `EXPLAIN QUERY PLAN ${text}`).map((row) => row["detail"])));

  expect(lists).toHaveLength(queries.length);
  expect(details.filter((detail) => String(detail).includes("TEMP B-TREE"))).toEqual([]);
});
