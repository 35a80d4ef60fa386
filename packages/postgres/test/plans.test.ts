import { describe, expect, it } from "vitest";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { TestSchema } from "./support/stores.js";

const runs = 3_000;
const tables = ["runs", "snapshots", "starts", "ticks"];

describe("a database without statistics", () => {
  it("is not read as a whole by the calls of every day", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ listen: false });
    const claim = () => store.claimDue({ ...leaseOf("ann"), limit: 32 });
    // A plan that was made while there was nothing is kept.
    for (let round = 0; round < 6; round++) await claim();
    for (let round = 0; round < 6; round++) await store.journals?.([keyOf("1")], 1_000_000);
    for (const table of tables) await schema.query(`ALTER TABLE @${table} SET (autovacuum_enabled = off)`);
    await store.commit(Array.from({ length: runs }, (_, index) => creationOf(`${index}`, index < 100 ? "bob" : null)));

    for (let round = 1; round <= 8; round++) {
      const claimed = await claim();
      expect(claimed).toHaveLength(32);
      await store.journals?.(
        claimed.map(({ run }) => run.key),
        1_000_000,
      );
      await store.nextWakeAtMs();
      await store.commit([tickOf("1", "bob", round)]);
      await store.post(keyOf("1"), { idempotencyKey: null, atMs: 1, text: "1" });
      await store.posts({ owner: "bob" });
      await store.renew(leaseOf("bob"));
      await store.list({ tenant: "acme", limit: 10 });
      await store.list({ tenant: "acme", failedStep: "pay", workflow: "digest", limit: 10 });
      await store.tenants();
      await store.delete([keyOf(`${runs - round}`)]);
    }
    await store.close(); // the server counts what a connection has done when it ends

    const read = `SELECT relname AS table, seq_tup_read::int AS rows FROM pg_stat_user_tables
      WHERE schemaname = $1 AND relname = ANY($2) ORDER BY relname`;
    await expect
      .poll(() => schema.query(read, [schema.name, tables]))
      .toEqual(tables.map((table) => ({ table, rows: 0 })));
  });
});

describe("claims that find nothing", () => {
  it("of a queue write nothing, wake nobody, and find what comes later", async () => {
    await using schema = new TestSchema();
    const [store, other] = [schema.open({ listen: false }), schema.open({ listen: false })];
    const queues = [{ name: "mail", concurrency: 2, perKey: 1, rate: { limit: 10, perMs: 60_000 } }];
    const claim = () => store.claimDue({ ...leaseOf("ann"), limit: 32, queues });
    const writes = () => schema.query("SELECT coalesce(max(batch), 0)::int AS last FROM @batches");
    await other.commit([creationOf("first", null, { queue: { name: "mail", key: "", priority: 0 } })]);
    expect(await claim()).toHaveLength(1);
    const before = await writes();
    let woken = 0;
    const stop = other.watch(() => void woken++);
    await expect.poll(() => woken).toBe(1); // by the first look

    for (let round = 0; round < 5; round++) expect(await claim()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 200)); // four looks

    expect(await writes()).toEqual(before);
    expect(woken).toBe(1);
    stop();
    await other.commit([creationOf("second", null, { queue: { name: "mail", key: "else", priority: 0 } })]);
    expect(await claim()).toHaveLength(1);
  });

  it("write nothing, and find what comes later", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ listen: false });
    await store.tenants();
    const claim = () => store.claimDue({ ...leaseOf("ann"), limit: 32 });
    const writes = () => schema.query("SELECT count(*)::int AS batches FROM @batches");
    const before = await writes();

    await claim();
    await claim();

    expect(await writes()).toEqual(before);
    await schema.open().commit([creationOf("run", null)]);
    expect(await claim()).toHaveLength(1);
  });
});
