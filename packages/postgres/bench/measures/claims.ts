import type { RunStore } from "millrace/runtime";
import type pg from "pg";
import { addRuns, filled } from "../filled.ts";
import { compare, type Found, rateOf } from "../measure.ts";

/** A lease in the row of its run, so that what has run out is found by one index. */
const bareIndex = "CREATE INDEX runs_expired ON runs (lease_until, id) WHERE owner IS NOT NULL AND ended_at IS NULL";
const bareSource = (column: string, where: string): string =>
  `SELECT id, ${column} AS at FROM runs WHERE ended_at IS NULL AND ${where} ORDER BY ${column}, id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED`;
const bareDue = `WITH woken AS (${bareSource("wake_at", "queue IS NULL AND owner IS NULL AND wake_at <= $3")}),
  posted AS (${bareSource("posted_at", "queue IS NULL AND owner IS NULL AND posted_at IS NOT NULL AND status <> 'scheduled'")}),
  expired AS (${bareSource("lease_until", "owner IS NOT NULL AND lease_until <= $3")}),
  due AS (SELECT id, min(at) AS at FROM (SELECT * FROM woken UNION ALL SELECT * FROM posted UNION ALL SELECT * FROM expired) u
    GROUP BY id ORDER BY 2, 1 LIMIT $4)
  UPDATE runs r SET owner = $1, lease_until = $2, epoch = epoch + 1 FROM due WHERE r.id = due.id RETURNING r.id, r.tenant, r.run_id, r.epoch`;

export async function claims(url: string): Promise<Found[]> {
  const claimers = 8;
  const limit = 32;
  const [ours, bare] = [await filled(url), await filled(url)];
  for (const one of [ours, bare]) await addRuns(one, 100_000, { dueMs: 0 });
  await bare.bare.query(bareIndex);
  const stores = Array.from({ length: claimers }, () => ours.open());
  const clients: pg.Client[] = [];
  for (let claimer = 0; claimer < claimers; claimer++) clients.push(await bare.connect());
  const nowMs = Date.now();
  const take = (worker: number): Promise<unknown[]> =>
    (stores[worker] as RunStore).claimDue({ owner: `owner-${worker}`, nowMs, untilMs: nowMs + 3_600_000, limit });
  const reached = (): Promise<number> => rateOf(async (worker) => (await take(worker)).length, claimers, 500);
  const base = (): Promise<number> =>
    rateOf(
      async (worker) => {
        const values = [worker + 1, 9e15, nowMs, limit];
        return (await (clients[worker] as pg.Client).query({ name: "due", text: bareDue, values })).rows.length;
      },
      claimers,
      500,
    );
  const found = await compare({ reached, base }, 4);
  const left = Number((await bare.bare.query("SELECT count(*) AS n FROM runs WHERE owner IS NULL")).rows[0].n);
  if (left === 0) throw new TypeError("the bare statement has taken all runs: nothing was measured at the end");
  for (const one of [ours, bare]) await one.close();
  return [
    {
      name: "`claimDue` by 8 at once, 100,000 runs, over the bare statement",
      unit: "runs/s",
      ...found,
      budget: { atLeast: 0.5 },
    },
  ];
}
