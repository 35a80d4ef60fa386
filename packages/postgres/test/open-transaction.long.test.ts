/** Claims beside a transaction that somebody keeps open: the entries of claimed runs stay in the index of those that are due. */
import pg from "pg";
import { expect, it } from "vitest";
import { creationOf, leaseOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

const runIds = Array.from({ length: 60 }, (_, index) => `run-${index}`);
const cycles = 50;

/** Due runs that were claimed and given back {@link cycles} times each, beside a transaction that began before. */
async function littered(schema: TestSchema): Promise<AsyncDisposable> {
  const store = schema.open({ listen: false });
  const atMs = Date.now() - 60_000;
  await store.commit(runIds.map((runId) => creationOf(runId, null, { atMs })));
  const reader = new pg.Client({ connectionString: databaseUrl });
  await reader.connect();
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await reader.query(`SELECT count(*) FROM "${schema.name}".runs`);
  for (let cycle = 0; cycle < cycles; cycle++) {
    await schema.query("UPDATE @runs SET owner = 1000");
    await schema.query("UPDATE @runs SET owner = NULL");
  }
  await schema.query("UPDATE @runs SET wake_at = $1", [atMs + 50_000]);
  return { [Symbol.asyncDispose]: () => reader.end() };
}

const walked = `SELECT idx_tup_read::int AS entries FROM pg_stat_user_indexes
  WHERE schemaname = $1 AND indexrelname = 'runs_due'`;

it("walk the entries of runs that were claimed before only now and then", async () => {
  await using schema = new TestSchema();
  await using _reader = await littered(schema);
  const store = schema.open({ listen: false, maxConnections: 1 });
  const [before] = await schema.query(walked, [schema.name]);

  const claimed: string[] = [];
  for (let claim = 0; claim < 12; claim++)
    for (const { run } of await store.claimDue({ ...leaseOf("ann"), limit: 5 })) claimed.push(run.key.runId);
  await store.nextWakeAtMs();
  await store.close(); // the server counts what a connection has done when it ends

  expect(claimed.sort()).toEqual([...runIds].sort());
  const entries = async () => (await schema.query(walked, [schema.name]))[0]?.["entries"] as number;
  await expect.poll(entries).toBeGreaterThan((before?.["entries"] as number) + runIds.length * cycles);
  expect((await entries()) - (before?.["entries"] as number)).toBeLessThan(6 * runIds.length * cycles);
});

it.each(["claimDue", "nextWakeAtMs"] as const)("find with %s a run that has an earlier time", async (method) => {
  await using schema = new TestSchema();
  await using _reader = await littered(schema);
  const store = schema.open({ listen: false });
  const claim = async () => (await store.claimDue({ ...leaseOf("ann"), limit: 100 })).map(({ run }) => run.key.runId);
  expect(await claim()).toHaveLength(runIds.length);
  const atMs = Date.now() - 60_000;
  await schema.open({ listen: false }).commit([creationOf("early", null, { atMs })]);

  const look = { claimDue: claim, nextWakeAtMs: async () => [(await store.nextWakeAtMs()) === atMs ? "early" : ""] };
  await expect.poll(look[method], { timeout: 20_000 }).toContain("early");

  expect(method === "claimDue" ? ["early"] : await claim()).toEqual(["early"]);
});
