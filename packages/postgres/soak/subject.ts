/** A schema that is to survive, on a server that is restarted. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunRow, SoakSubject } from "@millrace/conformance/soak";
import { postgresStore } from "../src/index.js";
import { query, type Server } from "../test/support/server.js";
import { readReviewed } from "./reviewed.js";

/** @param server Null: it is not ours, and nobody restarts it. */
export function subjectOn(connectionString: string, schema: string, server: Server | null): SoakSubject {
  const place = { connectionString, schema };
  return {
    script: join(import.meta.dirname, "workload.ts"),
    place,
    countUnderWay: () => countUnderWay(place),
    read: () => readRows(place),
    open: () => postgresStore(place),
    other: readReviewed,
    // The first one is a crash.
    async restart(number) {
      await server?.halt(number % 2 === 1 ? "immediate" : "fast");
      await sleep(300);
      await server?.run();
    },
  };
}

interface Place {
  readonly connectionString: string;
  readonly schema: string;
}

async function countUnderWay({ connectionString, schema }: Place): Promise<number> {
  const [there] = await query(connectionString, "SELECT to_regclass($1) AS runs", [`${schema}.runs`]);
  if (there?.["runs"] === null) return 0; // killed before it had made the tables
  const [row] = await query(connectionString, `SELECT count(*)::int AS n FROM ${schema}.runs WHERE ended_at IS NULL`);
  return row?.["n"] as number;
}

async function readRows({ connectionString, schema }: Place): Promise<RunRow[]> {
  const list = (columns: string, table: string, order: string, where = "true"): string =>
    `(SELECT coalesce(json_agg(${columns} ORDER BY ${order}), '[]') FROM ${schema}.${table} x WHERE x.run = r.id AND ${where})`;
  const rows = await query(
    connectionString,
    `SELECT r.run_id, r.status, o.name AS owner, r.epoch::int, r.ticks::int,
      -- Events that were added since the row was last written count, as for whoever reads the run.
      greatest(r.last_event, (SELECT max(e.sequence) FROM ${schema}.events e WHERE e.run = r.id))::int AS last_event,
      ${list("json_build_object('first', x.first, 'last', x.last)", "ticks", "x.last")} AS batches,
      ${list("x.sequence", "events", "x.sequence")} AS events,
      ${list("x.position", "posts", "x.position", "x.receipt IS NULL")} AS unanswered
    FROM ${schema}.runs r LEFT JOIN ${schema}.owners o ON o.id = r.owner ORDER BY r.id`,
  );
  return rows as unknown as RunRow[];
}
