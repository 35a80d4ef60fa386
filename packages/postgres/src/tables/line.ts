/** The line of a queue as people see it: what has arrived, whether or not a claim has put it in line. */
import type { LineQuery, StoredLine } from "millrace/runtime";
import { hashOf, runHash } from "../text/keys.js";
import { checkNames } from "../text/names.js";
import { atMost } from "../text/values.js";
import type { RunReader } from "./stored-run.js";

const isLater = "r.queue = q.id AND r.owner IS NULL AND r.ended_at IS NULL AND r.place IS NULL";
const columns = "r.id, r.queue_key, r.priority, r.queued_at, r.queue_batch, least(r.wake_at, r.posted_at) AS since";
/** $1: hash of the queue, $2: now. Each use of it is a walk of its own: to keep 100,000 rows takes longer than to read them. */
const line = `q AS MATERIALIZED (SELECT id FROM @queues WHERE hash = $1), line AS NOT MATERIALIZED (
    SELECT ${columns} FROM q JOIN @runs r ON r.queue = q.id AND r.place = 0
    UNION ALL SELECT ${columns} FROM q JOIN @runs r ON ${isLater} AND r.wake_at <= $2
    UNION ALL SELECT ${columns} FROM q JOIN @runs r ON ${isLater} AND r.posted_at IS NOT NULL AND r.status <> 'scheduled'
      AND (r.wake_at IS NULL OR r.wake_at > $2)
  )`;
const byKey = `WITH ${line}, keys AS (
    SELECT queue_key, sum(waiting)::bigint AS waiting, sum(placed)::bigint AS placed, min(since) AS since, min(id) AS run,
      sum(sum(waiting)) OVER ()::bigint AS all_waiting, sum(sum(placed)) OVER ()::bigint AS all_placed,
      min(min(since)) OVER () AS oldest
    FROM (
      SELECT queue_key, count(*) AS waiting, 0 AS placed, min(since) AS since, min(id) AS id FROM line GROUP BY queue_key
      UNION ALL SELECT r.queue_key, 0, count(*), NULL, min(r.id) FROM q
        JOIN @runs r ON r.queue = q.id AND r.place = 1 AND r.ended_at IS NULL GROUP BY r.queue_key
    ) AS members GROUP BY queue_key
  ) SELECT s.queue_key AS key, k.waiting, k.placed, k.since, k.all_waiting, k.all_placed, k.oldest
  FROM (SELECT * FROM keys ORDER BY waiting DESC, placed DESC, run LIMIT $3) k JOIN @starts s ON s.run = k.run
  ORDER BY k.waiting DESC, k.placed DESC, s.queue_key COLLATE "C"`;
/** $3: hash of the run. */
const aheadOf = `WITH ${line}, own AS MATERIALIZED (
    SELECT l.*, coalesce((SELECT k.turn FROM @queue_keys k WHERE k.queue = q.id AND k.queue_key = l.queue_key), 9000000000000000) AS turn
    FROM q, line l WHERE l.id = (SELECT id FROM @runs WHERE key = $3)
  ), counts AS MATERIALIZED (
    SELECT l.queue_key, count(*) AS waiting, count(*) FILTER (WHERE l.queue_key = o.queue_key AND (l.priority > o.priority
      OR (l.priority = o.priority AND (l.queued_at, l.queue_batch, l.id) < (o.queued_at, o.queue_batch, o.id)))) AS before
    FROM line l, own o GROUP BY l.queue_key
  ), rank AS MATERIALIZED (SELECT c.before AS value FROM counts c JOIN own o ON o.queue_key = c.queue_key)
  SELECT (rank.value + coalesce((SELECT sum(least(c.waiting, rank.value + (coalesce(k.turn, 9000000000000000) < own.turn)::int))
    FROM counts c LEFT JOIN @queue_keys k ON k.queue = (SELECT id FROM q) AND k.queue_key = c.queue_key
    WHERE c.queue_key <> own.queue_key), 0))::bigint AS ahead FROM own, rank`;

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
