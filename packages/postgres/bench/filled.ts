import { createHash } from "node:crypto";
import { postgresStore } from "@millrace/postgres";
import type { RunKey, RunStore } from "millrace/runtime";
import pg from "pg";

/** A schema with runs, and a connection to it that knows nothing of the store. */
export interface Filled {
  readonly schema: string;
  readonly store: RunStore;
  readonly bare: pg.Client;
  open(): RunStore;
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

let number = 0;

export async function filled(url: string): Promise<Filled> {
  const schema = `bench_${process.pid}_${++number}`;
  const opened: { close?(): Promise<void>; end?(): Promise<void> }[] = [];
  const open = (): RunStore => {
    const store = postgresStore({ connectionString: url, schema });
    opened.push(store);
    return store;
  };
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SET search_path = ${schema}`);
    opened.push(client);
    return client;
  };
  const store = open();
  await store.tenants();
  const bare = await connect();
  const close = async (): Promise<void> => {
    await bare.query(`DROP SCHEMA ${schema} CASCADE`);
    for (const one of opened) await (one.close?.() ?? one.end?.());
  };
  return { schema, store, bare, open, connect, close };
}

/** The runs that {@link addRuns} adds have these names. */
export const key = (number: number): RunKey => ({ tenant: "acme", runId: `run-${number}` });
export const owner = "ann";
/** What a step stores: a batch of ticks. */
export const text: string = JSON.stringify({
  ticks: [{ type: "step.completed", step: "a", state: "x".repeat(200) }],
  at: 1,
});

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Writes runs of tenant "acme" as a store would have, named `run-1` and so on. */
export async function addRuns(
  { bare, store }: Filled,
  count: number,
  state: { owner?: string; dueMs?: number | null },
) {
  const { owner, dueMs = null } = state;
  if (owner !== undefined) await store.renew({ owner, nowMs: Date.now(), untilMs: Date.now() + 3_600_000 });
  await bare.query("INSERT INTO tenants (hash, name) VALUES (decode($1, 'hex'), 'acme') ON CONFLICT DO NOTHING", [
    hash("acme"),
  ]);
  const from = Number((await bare.query("SELECT count(*) AS n FROM runs")).rows[0].n);
  await bare.query(
    `INSERT INTO runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event, created_at,
        updated_at, wake_at, owner, renewal, lease_until)
      SELECT -$5::bigint - g, sha256(convert_to('["acme","run-' || ($5::bigint + g) || '"]', 'UTF8')), t.id, 'run-' || ($5::bigint + g), 'flow', 7,
        CASE WHEN o.id IS NULL THEN 'waiting' ELSE 'running' END, CASE WHEN o.id IS NULL THEN 0 ELSE 1 END, 0, -1, g, g, $3::bigint + g, o.id,
        coalesce(o.renewals, 0), CASE WHEN o.id IS NOT NULL THEN $6::bigint END
      FROM generate_series(1, $1::int) g CROSS JOIN tenants t LEFT JOIN owners o ON o.name = $2
      WHERE t.name = $4`,
    [count, owner ?? null, dueMs, "acme", from, Date.now() + 3_600_000],
  );
  await bare.query(
    `INSERT INTO starts (run, code, start_at, labels, input)
      SELECT id, 'code', 0, '[]', '{"n":1}' FROM runs WHERE id NOT IN (SELECT run FROM starts)`,
  );
  await bare.query("VACUUM ANALYZE runs, starts");
}
