import type { RunKey } from "millrace/runtime";
import pg from "pg";
import { expect, it, vi } from "vitest";
import { Pooler } from "./support/pooler.js";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

const names = ["a", "b", "c", "d", "e"];

it("works through a pooler that gives all stores one connection, for a transaction at a time", async () => {
  await using schema = new TestSchema();
  await using pooler = await Pooler.open(databaseUrl);
  const open = () => schema.open({ connectionString: pooler.url, prepare: false });
  const stores = [open(), open(), open()];
  const heard: (RunKey | null)[] = [];
  stores[0]?.watch((key) => void heard.push(key));

  await Promise.all(
    stores.map(async (store, at) => {
      const owner = `owner-${at}`;
      await store.commit(names.map((name) => creationOf(`${at}${name}`, owner)));
      for (let tick = 1; tick <= 10; tick++) {
        const results = await store.commit(names.map((name) => tickOf(`${at}${name}`, owner, tick)));
        expect(results).toEqual(names.map(() => ({ status: "stored" })));
        await store.post(keyOf(`${at}a`), { idempotencyKey: null, atMs: 1, text: "1" });
      }
      expect(await store.renew(leaseOf(owner))).toHaveLength(names.length);
      expect(await store.posts({ owner })).toHaveLength(10);
    }),
  );

  const runs = (await stores[0]?.list({ tenant: "acme", limit: 100 }))?.runs ?? [];
  expect(runs.map(({ ticks }) => ticks)).toEqual(Array.from({ length: 15 }, () => 10));
  // No notice comes through: the store finds out by looking.
  await vi.waitFor(() => expect(heard).toContain(null), { timeout: 50_000 });
});

it("says what to set where prepared statements meet such a pooler", async () => {
  await using schema = new TestSchema();
  await using pooler = await Pooler.open(databaseUrl);
  const pools = [1, 2].map(() => new pg.Pool({ connectionString: pooler.url, max: 1 }));
  const [one, two] = pools.map((pool) => schema.open({ pool, retryMs: 10_000 }));

  await one?.tenants();

  await expect(two?.tenants()).rejects.toMatchObject({
    code: "STORE_FAILED",
    hint: expect.stringContaining("`prepare: false`"),
  });
  for (const pool of pools) await pool.end();
  await schema.open().tenants();
});
