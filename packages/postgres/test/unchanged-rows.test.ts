/** What a commit of ticks and events writes: rows of its own, and no new version of one that is there. */
import pg from "pg";
import { expect, it, vi } from "vitest";
import { batchOf, creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return client;
}

const sizes = (schema: TestSchema) =>
  schema.query("SELECT pg_relation_size('@runs')::int AS runs, pg_relation_size('@lanes')::int AS lanes");

it("no row that is there is written again, which nobody could clean away beside an open transaction", async () => {
  await using schema = new TestSchema();
  const store = schema.open({ listen: false, maxConnections: 1 });
  await store.commit([creationOf("run", "ann")]);
  const reader = await connected();
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await reader.query(`SELECT count(*) FROM "${schema.name}".runs`);
  const before = await sizes(schema);

  for (let tick = 1; tick <= 600; tick++) {
    const events = [{ sequence: tick, atMs: 2_000 + tick, text: "{}" }];
    expect(await store.commit([{ ...tickOf("run", "ann", tick), events }])).toEqual([{ status: "stored" }]);
  }

  expect(await sizes(schema)).toEqual(before);
  expect(await store.run(keyOf("run"))).toMatchObject({ ticks: 600, lastEvent: 600 });
  await reader.end();
});

it("of the batches of a lane, the last are kept", async () => {
  await using schema = new TestSchema();
  const store = schema.open({ listen: false, maxConnections: 1 });
  await store.commit([creationOf("run", "ann")]);

  for (let tick = 1; tick <= 600; tick++) await store.commit([tickOf("run", "ann", tick)]);

  const [kept] = await schema.query("SELECT count(*)::int AS count, max(batch)::int AS last FROM @batches");
  expect(kept).toMatchObject({ last: 601 });
  expect(kept?.["count"]).toBeLessThan(300);
});

it("is seen by a claim that has waited for it", async () => {
  await using schema = new TestSchema();
  const store = schema.open({ listen: false });
  await store.commit([creationOf("run", "ann")]);
  const slow = await connected();
  await slow.query(`SET search_path = "${schema.name}"`);
  await slow.query("BEGIN");
  await slow.query("SELECT 1 FROM runs FOR NO KEY UPDATE");
  await slow.query("INSERT INTO ticks (run, first, last, at_ms, text) SELECT id, 1, 3, 5000, '[]' FROM runs");
  await slow.query("INSERT INTO events (run, sequence, at_ms, text) SELECT id, 7, 5000, '{}' FROM runs");

  const claiming = store.claim(keyOf("run"), leaseOf("ann"));
  await vi.waitFor(
    async () => {
      const rows = await schema.query("SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted");
      expect(rows[0]?.["n"]).toBeGreaterThan(0);
    },
    { timeout: 50_000 },
  );
  await slow.query("COMMIT");

  expect((await claiming)?.run).toMatchObject({ ticks: 3, lastEvent: 7 });
  await slow.end();
});

it("is followed by one commit only, also where the first reaches further than the second", async () => {
  await using schema = new TestSchema();
  const stores = Array.from({ length: 4 }, () => schema.open({ listen: false }));
  await stores[0]?.commit([creationOf("run", "ann")]);
  for (const store of stores) await store.run(keyOf("run"));

  const results = await Promise.all(
    stores.map((store, index) =>
      store.commit([{ ...tickOf("run", "ann", 1), ticks: { ...batchOf(1), last: index + 1 } }]),
    ),
  );

  expect(results.flat().filter(({ status }) => status === "stored")).toHaveLength(1);
  expect(await schema.query("SELECT count(*)::int AS count FROM @ticks")).toEqual([{ count: 1 }]);
});

it("leaves no gap where ticks were lost with a server", async () => {
  await using schema = new TestSchema();
  const store = schema.open({ listen: false });
  await store.commit([creationOf("run", "ann")]);
  await store.commit([tickOf("run", "ann", 1)]);
  await store.commit([tickOf("run", "ann", 2)]);
  await schema.query("DELETE FROM @ticks WHERE first = 2");

  expect(await store.commit([tickOf("run", "ann", 3)])).toEqual([{ status: "fenced" }]);
  expect(await store.run(keyOf("run"))).toMatchObject({ ticks: 1 });
});

it("is known after its ticks are pruned", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ listen: false }), schema.open({ listen: false })];
  await store.commit([creationOf("run", "ann")]);
  for (let tick = 1; tick <= 3; tick++) await store.commit([tickOf("run", "ann", tick)]);

  const snapshot = { tick: 3, atMs: 9_000, text: "{}" };
  const { ticks: _, ...next } = tickOf("run", "ann", 4);
  await store.commit([{ ...next, snapshot, prune: { ticks: 3, snapshots: 3 } }]);

  expect(await other.run(keyOf("run"))).toMatchObject({ ticks: 3 });
  expect(await other.ticks(keyOf("run"), { after: 0, limit: 10 })).toEqual([]);
  expect(await other.commit([tickOf("run", "ann", 3)])).toEqual([{ status: "fenced" }]);
  expect(await other.commit([tickOf("run", "ann", 4)])).toEqual([{ status: "stored" }]);
});
