/**
 * What it takes to find a run among 1,000,000 by its input or by the version of the program.
 *
 *     cd packages/postgres && node --import @millrace/conformance/source bench/lookups.ts [runs] [sqlite | postgres]
 *
 * Milliseconds of `runtime.runs` in one process: the median and the 99th percentile of 200 calls, each for another value.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunFilter, type RunStore, type Runtime } from "millrace/runtime";
import pg from "pg";
import { sqliteStore } from "../../sqlite/src/index.js";
import { postgresStore } from "../src/index.js";
import { Server } from "../test/support/server.js";

const [count = "1000000", only] = process.argv.slice(2);
const runs = Number(count);
const calls = 200;
const versions = 20;
const skus = 1_000;
const startMs = Date.UTC(2026, 10, 1);

const order = defineWorkflow("order", { index: { order: () => undefined, sku: () => undefined } })
  .step("begin", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

/** Rows as a runtime stores them for runs that have ended; one in fifty has failed. Written as SQL: a store would take minutes. */
const sqliteRows = `
  WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ${runs - 1})
  INSERT INTO runs (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, outcome, version)
    SELECT n + 1, '', 'run-' || n, 'order', iif(n % 50 = 0, 'failed', 'completed'), 1, 3, 1, ${startMs} + n * 10, ${startMs} + n * 10 + 5,
      ${startMs} + n * 10 + 5, '{"status":"completed"}', '1.' || (n * ${versions} / ${runs}) || '.0' FROM n;
  INSERT INTO starts (run, code, start_at, input) SELECT id, 'code', created_at, '{"order":"' || run_id || '"}' FROM runs;
  INSERT INTO labels (run, name, value, tenant, created_at) SELECT id, 'team', id % 10, '', created_at FROM runs;
  INSERT INTO input_values (run, name, value, tenant, created_at)
    SELECT id, 'order', 'A-' || (id - 1), '', created_at FROM runs
    UNION ALL SELECT id, 'sku', 'sku-' || ((id - 1) % ${skus}), '', created_at FROM runs;
  ANALYZE`;
const numberOf = (name: string, value: string): string =>
  `('x' || encode(substr(sha256(convert_to('["${name}","' || ${value} || '"]', 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint`;
const postgresRows = `
  INSERT INTO tenants (hash, name) VALUES (sha256(''), '');
  INSERT INTO runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event, created_at, updated_at, ended_at,
      renewal, outcome, version)
    SELECT n, sha256(convert_to('["","run-' || n || '"]', 'UTF8')), t.id, 'run-' || n, 'order', 7,
      CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'completed' END, 1, 3, 1, ${startMs} + n * 10, ${startMs} + n * 10 + 5,
      ${startMs} + n * 10 + 5, 0, '{"status":"completed"}', '1.' || (n * ${versions} / ${runs}) || '.0'
    FROM generate_series(0::bigint, ${runs - 1}) n CROSS JOIN tenants t;
  INSERT INTO starts (run, code, start_at, labels, input)
    SELECT id, 'code', created_at, '[]', '{"order":"' || run_id || '"}' FROM runs;
  INSERT INTO labels (run, number, tenant, created_at, name, value)
    SELECT id, ${numberOf("team", "(id % 10)")}, tenant, created_at, 'team', id % 10 FROM runs;
  INSERT INTO input_values (run, number, tenant, created_at, name, value)
    SELECT id, ${numberOf("order", "'A-' || id")}, tenant, created_at, 'order', 'A-' || id FROM runs
    UNION ALL SELECT id, ${numberOf("sku", `'sku-' || (id % ${skus})`)}, tenant, created_at, 'sku', 'sku-' || (id % ${skus}) FROM runs`;

async function measure(name: string, store: RunStore): Promise<void> {
  const runtime = createRuntime({ workflows: { order }, store, execute: false }) as unknown as Runtime;
  const any = (most: number): number => Math.floor(Math.random() * most);
  const rows: readonly (readonly [string, () => RunFilter, number])[] = [
    ["a value that one run has", () => ({ input: { order: `A-${any(runs)}` } }), 1],
    ["a value that no run has", () => ({ input: { order: `B-${any(runs)}` } }), 0],
    ["a value that one run in 1,000 has: a page of 100", () => ({ input: { sku: `sku-${any(skus)}` } }), 100],
    ["two values", () => ({ input: { order: "A-7", sku: "sku-7" } }), 1],
    ["a version: a page of 100", () => ({ version: `1.${any(versions)}.0` }), 100],
    ["failed runs of a version: a page of 100", () => ({ version: `1.${any(versions)}.0`, status: "failed" }), 100],
    ["a version that no run has", () => ({ version: "9" }), 0],
  ];
  for (const [what, filterOf, least] of rows) {
    const times: number[] = [];
    for (let call = 0; call < calls; call++) {
      const filter = filterOf();
      const atMs = performance.now();
      const found = await runtime.runs(filter);
      times.push(performance.now() - atMs);
      if (found.runs.length < least) throw new Error(`${what}: ${JSON.stringify(filter)} found ${found.runs.length}`);
    }
    times.sort((one, other) => one - other);
    const [median, slow] = [times[calls / 2], times[calls - 2]];
    console.log(`| ${name} | ${what} | ${median?.toFixed(1)} | ${slow?.toFixed(1)} |`);
  }
  await runtime.stop({ drainMs: 0 });
}

async function measureSqlite(): Promise<void> {
  const folder = join(import.meta.dirname, ".data");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "lookups.db");
  const remove = (): void => {
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  };
  remove();
  const store = sqliteStore(path, { durability: "process" });
  await store.tenants(); // makes the tables
  const database = new DatabaseSync(path);
  database.exec(sqliteRows);
  database.close();
  await measure("SQLite", store);
  remove();
}

async function measurePostgres(): Promise<void> {
  await using server = await Server.start();
  const store = postgresStore({ connectionString: server.url, schema: "lookups" });
  await store.tenants();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("SET search_path = lookups");
  await client.query(postgresRows);
  await client.query("VACUUM ANALYZE");
  await client.end();
  await measure("PostgreSQL", store);
}

if (only !== "postgres") await measureSqlite();
if (only !== "sqlite") await measurePostgres();
