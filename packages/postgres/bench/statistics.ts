/**
 * What statistics cost: figures, failures and runs over time among 1,000,000 runs of 14 days, six workflows of four steps and two versions.
 *
 *     cd packages/postgres && node --import @millrace/conformance/source bench/statistics.ts [runs]
 *
 * Medians of nine calls, in milliseconds, and the time of this process at work for one call: where the machine does other things, too, only
 * that says something. The store counts the ends, 20,000 runs in a transaction; SQL writes the rows of the runs.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { durationRange } from "millrace/engine";
import { createRuntime, type Measure, type RunStore, type Runtime } from "millrace/runtime";
import pg from "pg";
import { sqliteStore } from "../../sqlite/src/index.js";
import { postgresStore } from "../src/index.js";
import { numberOf } from "../src/text/values.js";
import { Server } from "../test/support/server.js";

const runs = Number(process.argv[2] ?? 1_000_000);
const batch = 20_000;
const rounds = 9;
const steps = 4;
const spanMs = 14 * 86_400_000;
const endMs = Date.now();
const dayMs = 86_400_000;

/** Durations of a log-normal kind: most about a second, some a minute. */
function took(number: number): number {
  const share = ((number * 7_919) % 9_973) / 9_973;
  return 200 + 1_000 * share + (share > 0.97 ? 60_000 * share : 0);
}

const workflowOf = (number: number): string => `flow-${number % 6}`;

function measuresOf(number: number): Measure[] {
  const atMs = endMs - Math.floor((number / runs) * spanMs);
  const workflow = workflowOf(number);
  const version = number < runs / 3 ? "1.6.0" : "1.5.0";
  const isFailed = number % 50 === 0;
  const common = { workflow, version, atMs, failure: null, range: durationRange(took(number)) } as const;
  const status = isFailed ? "failed" : "completed";
  const attempts = Array.from({ length: steps }, (_, step): Measure => {
    const range = durationRange(took(number + step) / (step + 1));
    return { ...common, step: `step-${step}`, range, status: isFailed && step === steps - 1 ? "failed" : "completed" };
  });
  const ended: Measure[] = [...attempts, { ...common, step: null, status }];
  if (!isFailed) return ended;
  const failure = { id: `kind-${number % 7}`, text: '{"step":"step-3","code":null,"message":"no"}' };
  return [...ended, { ...common, step: "step-3", status, range: 0, failure }];
}

/** As many commits would have counted them. */
async function count(store: RunStore): Promise<void> {
  const record = {
    workflow: "none",
    input: "{}",
    code: "",
    createdAtMs: 1,
    startAtMs: 1,
    labels: {},
    forkedFrom: null,
  };
  const create = { ...record, queue: null, lease: null };
  for (let first = 0; first < runs; first += batch) {
    const numbers = Array.from({ length: Math.min(batch, runs - first) }, (_, index) => first + index);
    const key = { tenant: "", runId: `counted-${first}` };
    await store.commit([{ key, create, owner: null, epoch: 0, measures: numbers.flatMap(measuresOf) }]);
    await store.delete([key]);
  }
}

const nothing = defineWorkflow("nothing")
  .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

async function measure(name: string, store: RunStore, addRuns: () => Promise<void>): Promise<void> {
  await count(store);
  await addRuns();
  const runtime = createRuntime({ workflows: { nothing }, store }) as unknown as Runtime;
  const { statistics } = runtime;
  const after = endMs - spanMs;
  const rows: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["figures of all workflows, 24 hours", () => statistics.figures()],
    ["figures of all workflows, 14 days", () => statistics.figures({ after })],
    ["figures of a workflow and its steps, 14 days", () => statistics.figures({ workflow: "flow-1", after })],
    ["the same, by version", () => statistics.figures({ workflow: "flow-1", after, by: "version" })],
    ["failures, 14 days", () => statistics.failures({ after })],
    ["a page of the runs of a group", () => runtime.runs({ failure: "kind-1", limit: 100 })],
    ["runs over time, one day", () => statistics.histogram({ createdAfter: endMs - dayMs })],
    ["runs over time, 14 days", () => statistics.histogram({ createdAfter: after })],
    ["runs over time, 14 days, failed", () => statistics.histogram({ createdAfter: after, status: "failed" })],
    ["runs over time, 14 days, of a workflow", () => statistics.histogram({ createdAfter: after, workflow: "flow-1" })],
  ];
  for (const [what, call] of rows) console.log(`| ${name} | ${what} | ${await cost(call)} |`);
  await runtime.stop({ drainMs: 0 });
}

async function cost(call: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const begunMs = performance.now();
    await call();
    times.push(performance.now() - begunMs);
  }
  const { user, system } = process.cpuUsage(before);
  const median = times.sort((one, other) => one - other)[Math.floor(rounds / 2)] as number;
  return `${median.toFixed(1)} | ${((user + system) / 1_000 / rounds).toFixed(1)}`;
}

const folder = join(import.meta.dirname, ".data");
mkdirSync(folder, { recursive: true });
const path = join(folder, "statistics.db");
for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
await measure("SQLite", sqliteStore(path, { durability: "process" }), async () => {
  using database = new DatabaseSync(path);
  database
    .prepare(`WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ? - 1)
      INSERT INTO runs (tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, failure)
      SELECT '', 'run-' || n, 'flow-' || (n % 6), iif(n % 50 = 0, 'failed', 'completed'), 1, 1, -1,
        ? - n * ?, ? - n * ?, ? - n * ?, iif(n % 50 = 0, 'kind-' || (n % 7), NULL) FROM numbers`)
    .run(runs, ...[1, 2, 3].flatMap(() => [endMs, Math.floor(spanMs / runs)]));
  database.prepare("INSERT INTO starts (run, code, start_at, input) SELECT id, '', created_at, '{}' FROM runs").run();
});
for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
await using server = await Server.start();
await measure("PostgreSQL", postgresStore({ connectionString: server.url }), async () => {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("SET search_path = millrace");
  for (let flow = 0; flow < 6; flow++)
    await client.query(
      `INSERT INTO runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event, created_at,
          updated_at, ended_at, failure, renewal)
        SELECT 10000000 + n, sha256(n::text::bytea), (SELECT id FROM tenants LIMIT 1), 'run-' || n, $1, $2,
          CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'completed' END, 1, 1, -1, $3::bigint - n * $4::bigint, $3::bigint - n * $4::bigint,
          $3::bigint - n * $4::bigint, CASE WHEN n % 50 = 0 THEN 'kind-' || (n % 7) END, 0
        FROM generate_series($5::bigint, $6::bigint, 6) AS n`,
      [workflowOf(flow), numberOf(workflowOf(flow)), endMs, Math.floor(spanMs / runs), flow, runs - 1],
    );
  await client.query(
    "INSERT INTO starts (run, code, start_at, labels, input) SELECT id, '', created_at, '[]', '{}' FROM runs",
  );
  await client.query("ANALYZE");
  await client.end();
});
