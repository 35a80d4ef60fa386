/**
 * The line of a queue as people see it: what has arrived, whether or not a claim has put it in line.
 *
 * Runs in line are counted in an index that has all that is asked of them; rows are read only of runs that came back after a wait, and
 * of those that no claim has put in line yet.
 *
 * @module
 */
import { aheadOf, LineTally } from "millrace/engine";
import type { LineCounts, LineQuery, RunKey, StoredLine } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { SqliteValue } from "../connection/driver.js";

const again = "FROM runs INDEXED BY runs_line_again WHERE queue = ? AND place = 0 AND rate_counted = 1";
const since = "min(coalesce(wake_at, posted_at), coalesce(posted_at, wake_at))";
// A run that has not had a place yet needs one from its planned start on.
const linesByKey = `SELECT queue_key AS key, count(*) AS waiting, min(queued_at) FILTER (WHERE id NOT IN (SELECT id ${again})) AS oldestAtMs
  FROM runs INDEXED BY runs_line WHERE queue = ? AND place = 0 GROUP BY queue_key`;
const againByKey = `SELECT queue_key AS key, min(${since}) AS oldestAtMs ${again} GROUP BY queue_key`;
const placedByKey = `SELECT queue_key AS key, count(*) AS placed FROM runs INDEXED BY runs_place
  WHERE queue = ? AND place = 1 AND ended_at IS NULL GROUP BY queue_key`;
const isLater = "queue = ? AND owner IS NULL AND ended_at IS NULL AND place IS NULL";
const later = `FROM runs INDEXED BY runs_queue_due WHERE ${isLater} AND wake_at <= ?`;
const posted = `FROM runs INDEXED BY runs_queue_posted
  WHERE ${isLater} AND posted_at IS NOT NULL AND status <> 'scheduled' AND (wake_at IS NULL OR wake_at > ?)`;
/** Runs that no claim has put in line yet. */
const arrivedByKey: readonly string[] = [later, posted].map(
  (from) => `SELECT queue_key AS key, count(*) AS waiting, min(${since}) AS oldestAtMs ${from} GROUP BY queue_key`,
);
const isBefore = "(priority > ? OR (priority = ? AND (queued_at < ? OR (queued_at = ? AND id < ?))))";
const arrivedBefore: readonly string[] = [later, posted].map(
  (from) => `SELECT count(*) AS count ${from} AND queue_key = ? AND ${isBefore}`,
);

/** A run that has a place, or wants none by now, is not found. */
const findRun = `SELECT id, queue_key AS key, priority, queued_at AS queuedAtMs FROM runs
  WHERE tenant = ? AND run_id = ? AND queue = ? AND owner IS NULL AND ended_at IS NULL
    AND (place = 0 OR wake_at <= ? OR (posted_at IS NOT NULL AND status <> 'scheduled'))`;
const inKey =
  "SELECT count(*) AS count FROM runs INDEXED BY runs_line WHERE queue = ? AND queue_key = ? AND place = 0 AND";
const before: readonly string[] = [
  `${inKey} priority > ?`,
  `${inKey} priority = ? AND queued_at < ?`,
  `${inKey} priority = ? AND queued_at = ? AND id < ?`,
];
const turns = "SELECT queue_key AS key, turn FROM queue_keys WHERE queue = ?";

/** Rows of the statements that group by key. */
type KeyRow = Partial<LineCounts> & { readonly key: string };

/** A run in line, or about to be. */
interface Standing {
  readonly id: number;
  readonly key: string;
  readonly priority: number;
  readonly queuedAtMs: number;
}

export function readLine(database: Database, { queue, nowMs, keys: most, of }: LineQuery): StoredLine {
  const all = <Row>(statement: string, ...values: SqliteValue[]): Row[] =>
    database.sql(statement).all(...values) as Row[];
  const tally = new LineTally(nowMs);
  const add = (statement: string, ...values: SqliteValue[]): void => {
    for (const { key, ...counts } of all<KeyRow>(statement, ...values)) tally.add(key, counts);
  };
  add(linesByKey, queue, queue);
  add(againByKey, queue);
  for (const statement of arrivedByKey) add(statement, queue, nowMs);
  add(placedByKey, queue);
  const ahead = of === undefined ? null : placesBefore({ all, queue, nowMs, byKey: tally.byKey }, of);
  return { ...tally.toLine(most), ahead };
}

interface Reading {
  readonly all: <Row>(statement: string, ...values: SqliteValue[]) => Row[];
  readonly queue: string;
  readonly nowMs: number;
  readonly byKey: ReadonlyMap<string, LineCounts>;
}

/** Returns how many runs are served before it, if each key takes its turn. */
function placesBefore({ all, queue, nowMs, byKey }: Reading, { tenant, runId }: RunKey): number | null {
  const [run] = all<Standing>(findRun, tenant, runId, queue, nowMs);
  if (run === undefined) return null;
  const { id, key, priority, queuedAtMs } = run;
  const count = (statement: string, ...values: SqliteValue[]): number =>
    all<{ count: number }>(statement, queue, ...values)[0]?.count ?? 0;
  const more = [[], [queuedAtMs], [queuedAtMs, id]];
  const place = [priority, priority, queuedAtMs, queuedAtMs, id];
  const rank =
    sum(before.map((statement, index) => count(statement, key, priority, ...(more[index] ?? [])))) +
    sum(arrivedBefore.map((statement) => count(statement, nowMs, key, ...place)));
  const turnOf = new Map(all<{ key: string; turn: number }>(turns, queue).map((row) => [row.key, row.turn]));
  const turn = (of: string): number => turnOf.get(of) ?? Number.POSITIVE_INFINITY;
  const waiting = (isEarlier: boolean): number[] =>
    [...byKey].flatMap(([of, counts]) => (of !== key && turn(of) < turn(key) === isEarlier ? [counts.waiting] : []));
  return aheadOf(rank, waiting(true), waiting(false));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
