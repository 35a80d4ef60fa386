import { describe, expect, it } from "vitest";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { TestSchema } from "./support/stores.js";

const runs = 3_000;

describe("a database without statistics", () => {
  it("is not read as a whole by the calls of every day", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ listen: false });
    const claim = () => store.claimDue({ ...leaseOf("ann"), limit: 32 });
    // A plan that was made while there was nothing is kept.
    for (let round = 0; round < 6; round++) await claim();
    await schema.query("ALTER TABLE @runs SET (autovacuum_enabled = off)");
    await schema.query("ALTER TABLE @starts SET (autovacuum_enabled = off)");
    await store.commit(Array.from({ length: runs }, (_, index) => creationOf(`${index}`, index < 100 ? "bob" : null)));

    for (let round = 1; round <= 8; round++) {
      expect(await claim()).toHaveLength(32);
      await store.nextWakeAtMs();
      await store.commit([tickOf("1", "bob", round)]);
      await store.post(keyOf("1"), { idempotencyKey: null, atMs: 1, text: "1" });
      await store.posts({ owner: "bob" });
      await store.renew(leaseOf("bob"));
      await store.list({ tenant: "acme", limit: 10 });
      await store.tenants();
      await store.delete([keyOf(`${runs - round}`)]);
    }
    await store.close(); // the server counts what a connection has done when it ends

    const read = `SELECT relname AS table, seq_tup_read::int AS rows FROM pg_stat_user_tables
      WHERE schemaname = $1 AND relname IN ('runs', 'starts') ORDER BY relname`;
    await expect
      .poll(() => schema.query(read, [schema.name]))
      .toEqual([
        { table: "runs", rows: 0 },
        { table: "starts", rows: 0 },
      ]);
  });
});

describe("claims that find nothing", () => {
  it("write nothing from the second on, and find what comes later", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ listen: false });
    const claim = () => store.claimDue({ ...leaseOf("ann"), limit: 32 });
    const writes = () => schema.query("SELECT sum(batch) AS batches FROM @lanes");
    await claim();
    const before = await writes();

    await claim();
    await claim();

    expect(await writes()).toEqual(before);
    await schema.open().commit([creationOf("run", null)]);
    expect(await claim()).toHaveLength(1);
  });
});
