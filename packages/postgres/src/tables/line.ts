/** The line of a queue as people see it: what has arrived, whether or not a claim has put it in line. */
import type { LineQuery, StoredLine } from "millrace/runtime";
import { atMost, hashOf, runHash } from "../text/values.js";
import type { RunReader } from "./stored-run.js";

const queue = "q AS MATERIALIZED (SELECT id FROM @queues WHERE hash = $1)";
/** Runs in line are counted in an index that has all that is asked of them, if the rest of a statement reads nothing else. */
const inLine = "@runs r WHERE r.queue = (SELECT id FROM q) AND r.place = 0";
const isLater = "r.queue = (SELECT id FROM q) AND r.owner IS NULL AND r.ended_at IS NULL AND r.place IS NULL";
const isPosted = "r.posted_at IS NOT NULL AND r.status <> 'scheduled'";
/** Runs that no claim has put in line yet, by now ($2). */
const arrived = (columns: string, rest = ""): readonly string[] => [
  `SELECT ${columns} FROM @runs r WHERE ${isLater} AND r.wake_at <= $2${rest}`,
  `SELECT ${columns} FROM @runs r WHERE ${isLater} AND ${isPosted} AND (r.wake_at IS NULL OR r.wake_at > $2)${rest}`,
];
const again = `again AS MATERIALIZED (
    SELECT r.id, r.queue_key, least(r.wake_at, r.posted_at) AS since FROM ${inLine} AND r.rate_counted)`;
const since = "min(least(r.wake_at, r.posted_at)) AS since, min(r.id) AS id";
/**
 * Selects the runs that wait or have a place, and which waits the longest.
 *
 * @param group The key of each, or nothing for all together.
 */
const members = (group: "r.queue_key" | "NULL::bytea"): string =>
  [
    // A run that has not had a place yet needs one from its planned start on.
    `SELECT ${group} AS queue_key, count(*) AS waiting, 0 AS placed,
      min(r.queued_at) FILTER (WHERE r.id NOT IN (SELECT id FROM again)) AS since, min(r.id) AS id FROM ${inLine} GROUP BY 1`,
    `SELECT ${group}, 0, 0, min(r.since), min(r.id) FROM again r GROUP BY 1`,
    ...arrived(`${group}, count(*), 0, ${since}`, " GROUP BY 1"),
    `SELECT ${group}, 0, count(*), NULL, min(r.id) FROM @runs r
      WHERE r.queue = (SELECT id FROM q) AND r.place = 1 AND r.ended_at IS NULL GROUP BY 1`,
  ].join(" UNION ALL ");
const all = `WITH ${queue}, ${again} SELECT sum(waiting)::bigint AS all_waiting, sum(placed)::bigint AS all_placed, min(since) AS oldest
  FROM (${members("NULL::bytea")}) AS members`;
const byKey = `WITH ${queue}, ${again}, keys AS (
    SELECT queue_key, sum(waiting)::bigint AS waiting, sum(placed)::bigint AS placed, min(since) AS since, min(id) AS run,
      sum(sum(waiting)) OVER ()::bigint AS all_waiting, sum(sum(placed)) OVER ()::bigint AS all_placed,
      min(min(since)) OVER () AS oldest
    FROM (${members("r.queue_key")}) AS members GROUP BY queue_key
  ) SELECT s.queue_key AS key, k.waiting, k.placed, k.since, k.all_waiting, k.all_placed, k.oldest
  FROM (SELECT * FROM keys ORDER BY waiting DESC, placed DESC, run LIMIT $3) k JOIN @starts s ON s.run = k.run
  ORDER BY k.waiting DESC, k.placed DESC, s.queue_key COLLATE "C"`;
const order = "r.queue_key, r.priority, r.queued_at, r.queue_batch, r.id";
const isBefore = `r.queue_key = o.queue_key AND (r.priority > o.priority
  OR (r.priority = o.priority AND (r.queued_at, r.queue_batch, r.id) < (o.queued_at, o.queue_batch, o.id)))`;
/** $3: hash of the run. Of each other key, no more runs are counted than can come before it. */
const aheadOf = `WITH ${queue}, own AS MATERIALIZED (
    SELECT ${order}, coalesce((SELECT k.turn FROM @queue_keys k WHERE k.queue = r.queue AND k.queue_key = r.queue_key), 9000000000000000) AS turn
    FROM @runs r WHERE r.key = $3 AND r.queue = (SELECT id FROM q)
      AND (r.place = 0 OR (${isLater} AND (r.wake_at <= $2 OR (${isPosted}))))
  ), arrived AS MATERIALIZED (${arrived(order).join(" UNION ALL ")}), rank AS MATERIALIZED (
    SELECT (SELECT count(*) FROM ${inLine} AND ${isBefore}) + (SELECT count(*) FROM arrived r WHERE ${isBefore}) AS value FROM own o
  ), others AS (
    SELECT queue_key, min(turn) AS turn, sum(arrived) AS arrived FROM (
      SELECT queue_key, turn, 0 AS arrived FROM @queue_keys WHERE queue = (SELECT id FROM q)
      UNION ALL SELECT queue_key, 9000000000000000, count(*) FROM arrived GROUP BY 1
    ) AS keys WHERE queue_key <> (SELECT queue_key FROM own) GROUP BY 1
  )
  SELECT (rank.value + coalesce((SELECT sum(least(k.arrived + (
      SELECT count(*) FROM (SELECT 1 FROM ${inLine} AND r.queue_key = k.queue_key LIMIT (SELECT value + 1 FROM rank)) AS ahead
    ), rank.value + (k.turn < own.turn)::int)) FROM others k), 0))::bigint AS ahead FROM own, rank`;

export async function readLine({ database, clock }: RunReader, query: LineQuery): Promise<StoredLine> {
  const { queue: name, keys: most, of, nowMs } = query;
  await clock.refresh();
  const asked = [hashOf(name), clock.toServer(nowMs)];
  const [rows, places] = await Promise.all([
    most === 0 ? database.all(all, asked) : database.all(byKey, [...asked, atMost(most)]),
    of === undefined ? [] : database.all(aheadOf, [...asked, runHash(of)]),
  ]);
  // A post from a clock that is ahead makes its run due at once.
  const time = (at: unknown): number | null => (at == null ? null : Math.min(nowMs, clock.toCaller(at as number)));
  const [first] = rows;
  return {
    waiting: (first?.["all_waiting"] as number | undefined) ?? 0,
    placed: (first?.["all_placed"] as number | undefined) ?? 0,
    oldestAtMs: time(first?.["oldest"]),
    keys: rows.slice(0, most).map((row) => ({
      key: row["key"] as string,
      waiting: row["waiting"] as number,
      placed: row["placed"] as number,
      oldestAtMs: time(row["since"]),
    })),
    ahead: (places[0]?.["ahead"] as number | undefined) ?? null,
  };
}
