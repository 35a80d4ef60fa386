import type { PoolClient } from "pg";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { batchOf, creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

/** A pool without a pipeline, and how many queries its clients were asked for while they still had one. */
function watchedPool(): { pool: pg.Pool; overlaps: string[] } {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 });
  const overlaps: string[] = [];
  pool.on("connect", (client: PoolClient) => {
    const query = client.query.bind(client) as (query: { text: string }) => Promise<unknown>;
    let open = 0;
    client.query = (async (asked: { text: string }) => {
      if (open++ > 0) overlaps.push(asked.text);
      return query(asked).finally(() => open--);
    }) as typeof client.query;
  });
  onTestFinished(() => pool.end());
  return { pool, overlaps };
}

it("is asked for one thing at a time where it takes one, and warns of nothing", async () => {
  const warnings: string[] = [];
  const warned = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const { pool, overlaps } = watchedPool();
  await using schema = new TestSchema();
  const store = schema.open({ pool, listen: true });
  const heard: unknown[] = [];
  store.watch((key) => void heard.push(key));
  const names = Array.from({ length: 20 }, (_, index) => `${index}`);
  const queue = { name: "q", key: "a", priority: 0 };
  const queues = [{ name: "q", concurrency: 5, perKey: null, rate: null }];

  await store.commit([...names.map((name) => creationOf(name, "ann")), creationOf("free", null)]);
  await store.commit([creationOf("queued", null, { queue })]);
  await Promise.all(names.map((name) => store.commit([tickOf(name, "ann", 1)])));
  await store.commit([
    {
      ...tickOf("0", "ann", 2),
      ticks: batchOf(2, store.hash("2")),
      blobs: [{ hash: store.hash("2"), text: "2" }],
      events: [{ sequence: 0, atMs: 1, text: "1" }],
      snapshot: { tick: 2, atMs: 1, text: "{}" },
      records: [{ tenant: "acme", kind: "k", id: "r", expected: 0, text: "1" }],
    },
  ]);
  await store.post(keyOf("0"), { idempotencyKey: "key", atMs: 1, text: "1" });
  await store.nextWakeAtMs({ queues, heldAfterMs: Date.now() });
  const claimed = await store.claimDue({ ...leaseOf("bob"), limit: 5, queues });
  await store.claim(keyOf("0"), leaseOf("ann"));
  await store.renew(leaseOf("ann"));
  await store.delete([keyOf("free")], "bob");

  expect(claimed.map(({ run }) => run.key.runId).sort()).toEqual(["free", "queued"]);
  await expect.poll(() => heard).toContainEqual(null); // it listens
  expect(overlaps).toEqual([]);
  expect(warnings).toEqual([]);
  await store.close();
});
