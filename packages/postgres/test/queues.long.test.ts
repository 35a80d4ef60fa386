import type { QueueLimits } from "millrace/runtime";
import { expect, it } from "vitest";
import { Child } from "./child/process.js";
import { creationOf, keyOf, leaseOf } from "./support/runs.js";
import { query, Server } from "./support/server.js";
import { TestSchema } from "./support/stores.js";

const llm: QueueLimits = { name: "llm", concurrency: 5, perKey: 3, rate: null };
const mail: QueueLimits = { name: "mail", concurrency: 4, perKey: null, rate: null };

interface Counts {
  readonly claims: number;
  readonly ended: number;
  readonly most: number;
}

it("keeps the limits over processes that claim and commit at once, and none waits for another in a circle", async () => {
  await using server = await Server.start(["fsync=off"]); // other tests make deadlocks
  const schema = new TestSchema();
  const store = schema.open({ connectionString: server.url });
  const runs = Array.from({ length: 300 }, (_, index) => {
    const queue = { name: index % 3 === 0 ? "mail" : "llm", key: `key ${index % 4}`, priority: index % 2 };
    return creationOf(`queued-${index}`, null, { queue });
  });
  await store.commit(runs);
  const names = ["ann", "bob", "cid", "dee"];
  const children = names.map(
    (name) => new Child("claimer.ts", [server.url, schema.name, name, JSON.stringify([llm, mail])]),
  );
  for (const child of children) expect(await child.line()).toBe("ready");
  for (const child of children) child.send("go");
  const counts = await Promise.all(children.map(async (child) => JSON.parse(await child.line()) as Counts));
  await store.close();

  const deadlocks = "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()";
  expect(await query(server.url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  const sum = (of: (one: Counts) => number): number => counts.reduce((total, one) => total + of(one), 0);
  expect(sum(({ ended }) => ended)).toBe(runs.length);
  expect(sum(({ claims }) => claims)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...counts.map(({ most }) => most))).toBeLessThanOrEqual(Number(llm.concurrency));
});

it("serves another key although a full one has many runs, and looks at none of them", async () => {
  await using schema = new TestSchema();
  const store = schema.open({ maxConnections: 1 });
  const full = Array.from({ length: 2_000 }, (_, index) =>
    creationOf(`full-${index}`, null, { queue: { name: "llm", key: "full", priority: 0 } }),
  );
  await store.commit(full);
  const limits = { ...llm, concurrency: null, perKey: 1 };
  const take = async () => (await store.claimDue({ ...leaseOf("ann"), queues: [limits], limit: 10 })).length;
  expect(await take()).toBe(1);
  await schema.query("ANALYZE @runs, @owners"); // as the server does by itself after a minute
  const reads = `SELECT sum(idx_tup_fetch + seq_tup_read) AS count FROM pg_stat_user_tables
    WHERE schemaname = '${schema.name}' AND relname = 'runs'`;
  const readsNow = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // a connection tells what it has read once a second
    await store.run(keyOf("full-0"));
    await new Promise((resolve) => setTimeout(resolve, 100));
    return Number((await schema.query(reads))[0]?.["count"]);
  };
  const before = await readsNow();

  await store.commit([creationOf("other", null, { queue: { name: "llm", key: "other", priority: 0 } })]);
  for (const expected of [1, 0, 0, 0]) expect(await take()).toBe(expected);

  expect((await readsNow()) - before).toBeLessThan(200);
});
