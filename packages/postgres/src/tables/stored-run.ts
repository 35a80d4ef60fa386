import { statusOfText } from "millrace/engine";
import type { RunKey, StoredRun } from "millrace/runtime";
import type { ServerClock } from "../connection/clock.js";
import type { Database } from "../connection/database.js";
import type { Row } from "../connection/session.js";
import { damaged } from "../store-error.js";
import { runHash } from "../text/values.js";

/** When the lease of `runs AS r` ends, by the renewals of its owner `o`. */
export const leaseUntil: string = "CASE WHEN r.renewal < o.renewals THEN o.until_ms ELSE r.lease_until END";

/** The last tick of `runs AS r`: that of its row, or of a batch that came since. */
export const lastTick: string = `greatest(r.ticks,
  (SELECT k.last FROM @ticks k WHERE k.run = r.id AND k.first > r.ticks ORDER BY k.first DESC LIMIT 1))`;

/** Columns that the rows of ticks and events add to `runs AS r`. The second one reads them as of now, not as of the statement. */
const added = `(SELECT ${lastTick} AS ticks,
    greatest(r.last_event, (SELECT max(e.sequence) FROM @events e WHERE e.run = r.id AND e.sequence > r.last_event)) AS last_event,
    greatest(r.updated_at, (SELECT k.at_ms FROM @ticks k WHERE k.run = r.id AND k.first > r.ticks ORDER BY k.first DESC LIMIT 1)) AS updated_at)`;
const addedByNow = "@standing(r.id, r.ticks, r.last_event, r.updated_at)";

/** The columns that {@link toRun} reads. */
export const runColumns: string = `r.id, t.name AS tenant, r.run_id, r.workflow, r.status, r.epoch, c.ticks, c.last_event, r.created_at,
  c.updated_at, r.ended_at, r.wake_at, r.posted_at, o.name AS owner, ${leaseUntil} AS lease_until, r.waiting, r.outcome,
  s.run AS start_run, s.code, s.start_at, s.forked_run_id, s.forked_tick, s.labels, s.input,
  q.name AS queue, s.queue_key, r.priority, r.place, r.version`;

// LEFT, so that a run without its other half is reported as damaged and not missed.
const joining = (current: string): string => `CROSS JOIN LATERAL ${current} c LEFT JOIN @tenants t ON t.id = r.tenant
    LEFT JOIN @starts s ON s.run = r.id LEFT JOIN @owners o ON o.id = r.owner
    LEFT JOIN @queues q ON q.id = r.queue`;
/** Joins that {@link runColumns} need beside `runs AS r`. */
export const runJoins: string = joining(added);

/** SQL that selects rows for {@link toRun}. `source` names `runs AS r`. */
export function selectRuns(source: string, rest: string): string {
  return `SELECT ${runColumns} FROM ${source} ${runJoins} ${rest}`;
}

/** The same, of runs that this statement locks itself. @param column One more. */
export function selectLocked(source: string, rest: string, column: string | null = null): string {
  const columns = column === null ? runColumns : `${column}, ${runColumns}`;
  return `SELECT ${columns} FROM ${source} ${joining(addedByNow)} ${rest}`;
}

const byKey = selectRuns("@runs r", "WHERE r.key = $1");
export const runsByKeys: string = selectRuns("@runs r", "WHERE r.key = ANY($1::bytea[])");

/** Reader of rows of runs. */
export interface RunReader {
  readonly database: Database;
  readonly clock: ServerClock;
}

export async function findRun(reader: RunReader, key: RunKey): Promise<StoredRun | null> {
  const [row] = await reader.database.all(byKey, [runHash(key)]);
  return row === undefined ? null : toRun(reader, row);
}

/** Reads a row of {@link selectRuns}. The types of columns are those of the tables. */
export function toRun({ database, clock }: RunReader, row: Row): StoredRun {
  const column = <Type>(name: string): Type => row[name] as Type;
  const isWhole = column("start_run") !== null && column("tenant") !== null;
  if (!isWhole)
    throw damaged(database.path, `the row of run ${column("run_id")} in \`starts\` or \`tenants\` is missing`);
  const status = statusOfText(column<string>("status"));
  if (status === null) throw damaged(database.path, `runs.status of ${column("run_id")} is not a status of a run`);
  const owner = column<string | null>("owner");
  const queue = column<string | null>("queue");
  const wakeAt = column<number | null>("wake_at");
  const forkedRunId = column<string | null>("forked_run_id");
  return {
    key: { tenant: column("tenant"), runId: column("run_id") },
    workflow: column("workflow"),
    version: column("version"),
    status,
    epoch: column("epoch"),
    ticks: column("ticks"),
    lastEvent: column("last_event"),
    createdAtMs: column("created_at"),
    updatedAtMs: column("updated_at"),
    endedAtMs: column("ended_at"),
    wakeAtMs: wakeAt === null ? null : clock.toCaller(wakeAt),
    lease: owner === null ? null : { owner, untilMs: clock.toCaller(column("lease_until")) },
    waiting: column("waiting"),
    outcome: column("outcome"),
    code: column("code"),
    startAtMs: column("start_at"),
    forkedFrom: forkedRunId === null ? null : { runId: forkedRunId, tick: column("forked_tick") },
    input: column("input"),
    queue: queue === null ? null : { name: queue, key: column("queue_key"), priority: column("priority") },
    hasPlace: column("place") === 1,
    labels: Object.fromEntries(JSON.parse(column("labels"))),
  };
}
