/** The line of a queue as people see it: what has arrived, whether or not a claim has put it in line. */
import type { LineQuery, StoredLine } from "millrace/runtime";
import { hashOf, runHash } from "../text/keys.js";
import { checkNames } from "../text/names.js";
import { atMost } from "../text/values.js";
import type { RunReader } from "./stored-run.js";

const isLater = "r.queue = q.id AND r.owner IS NULL AND r.ended_at IS NULL AND r.place IS NULL";
const columns = "r.id, r.queue_key, r.priority, r.queued_at, r.queue_batch, least(r.wake_at, r.posted_at) AS since";
/** $1: hash of the queue, $2: now. */
const line = `q AS MATERIALIZED (SELECT id FROM @queues WHERE hash = $1), line AS MATERIALIZED (
    SELECT ${columns} FROM q JOIN @runs r ON r.queue = q.id AND r.place = 0
    UNION ALL SELECT ${columns} FROM q JOIN @runs r ON ${isLater} AND r.wake_at <= $2
    UNION ALL SELECT ${columns} FROM q JOIN @runs r ON ${isLater} AND r.posted_at IS NOT NULL AND r.status <> 'scheduled'
      AND (r.wake_at IS NULL OR r.wake_at > $2)
  )`;
const byKey = `WITH ${line}, keys AS MATERIALIZED (
    SELECT queue_key, sum(waiting)::bigint AS waiting, sum(placed)::bigint AS placed, min(since) AS since, min(id) AS run FROM (
      SELECT queue_key, 1 AS waiting, 0 AS placed, since, id FROM line
      UNION ALL SELECT r.queue_key, 0, 1, NULL, r.id FROM q JOIN @runs r ON r.queue = q.id AND r.place = 1 AND r.ended_at IS NULL
    ) AS members GROUP BY queue_key
  ) SELECT s.queue_key AS key, k.waiting, k.placed, k.since, (SELECT sum(waiting)::bigint FROM keys) AS all_waiting,
    (SELECT sum(placed)::bigint FROM keys) AS all_placed, (SELECT min(since) FROM keys) AS oldest
  FROM keys k JOIN @starts s ON s.run = k.run ORDER BY k.waiting DESC, k.placed DESC, s.queue_key COLLATE "C" LIMIT $3`;
/** $3: hash of the run. */
const aheadOf = `WITH ${line}, own AS MATERIALIZED (
    SELECT l.*, coalesce((SELECT k.turn FROM @queue_keys k WHERE k.queue = q.id AND k.queue_key = l.queue_key), 9000000000000000) AS turn
    FROM q, line l WHERE l.id = (SELECT id FROM @runs WHERE key = $3)
  ), rank AS MATERIALIZED (
    SELECT count(*) AS value FROM line l, own o WHERE l.queue_key = o.queue_key AND (l.priority > o.priority
      OR (l.priority = o.priority AND (l.queued_at, l.queue_batch, l.id) < (o.queued_at, o.queue_batch, o.id)))
  ) SELECT (rank.value + coalesce((SELECT sum(least(other.waiting, rank.value + (other.turn < own.turn)::int)) FROM (
      SELECT count(*) AS waiting, coalesce(min(k.turn), 9000000000000000) AS turn FROM q, line l
        LEFT JOIN @queue_keys k ON k.queue = (SELECT id FROM q) AND k.queue_key = l.queue_key
      WHERE l.queue_key <> (SELECT queue_key FROM own) GROUP BY l.queue_key
    ) AS other), 0))::bigint AS ahead FROM own, rank`;

export async function readLine({ database, clock }: RunReader, query: LineQuery): Promise<StoredLine> {
  const { queue, keys: most, of, nowMs } = query;
  checkNames({ queue });
  await clock.refresh();
  const asked = [hashOf(queue), clock.toServer(nowMs)];
  const [rows, places] = await Promise.all([
    database.all(byKey, [...asked, Math.max(1, atMost(most))]),
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
