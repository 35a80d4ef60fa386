/** The line of a queue as people see it: what has arrived, whether or not a claim has put it in line. */
import { plainSql, type Sql, sql } from "millrace/engine";
import type { LineQuery, RunKey, StoredLine } from "millrace/runtime";
import type { Database } from "../connection/database.js";

type Asked = Pick<LineQuery, "queue" | "nowMs">;

/** After every turn. */
const lastTurn = plainSql("9000000000000000");
const since = plainSql("min(coalesce(wake_at, posted_at), coalesce(posted_at, wake_at))");

function inLine({ queue, nowMs }: Asked): Sql {
  const isLater = sql`queue = ${queue} AND owner IS NULL AND ended_at IS NULL AND place IS NULL`;
  return sql`SELECT id, queue_key AS key, priority, queued_at, ${since} AS since
      FROM runs INDEXED BY runs_line WHERE queue = ${queue} AND place = 0
    UNION ALL SELECT id, queue_key, priority, queued_at, ${since} FROM runs INDEXED BY runs_queue_due
      WHERE ${isLater} AND wake_at <= ${nowMs}
    UNION ALL SELECT id, queue_key, priority, queued_at, posted_at FROM runs INDEXED BY runs_queue_posted
      WHERE ${isLater} AND posted_at IS NOT NULL AND status <> 'scheduled' AND (wake_at IS NULL OR wake_at > ${nowMs})`;
}

function lineSql(asked: Asked, most: number): Sql {
  return sql`WITH keys AS MATERIALIZED (
      SELECT key, sum(waiting) AS waiting, sum(placed) AS placed, min(since) AS since FROM (
        SELECT key, 1 AS waiting, 0 AS placed, since FROM (${inLine(asked)})
        UNION ALL SELECT queue_key, 0, 1, NULL FROM runs INDEXED BY runs_place
          WHERE queue = ${asked.queue} AND place = 1 AND ended_at IS NULL
      ) GROUP BY key
    ) SELECT key, waiting, placed, since, (SELECT sum(waiting) FROM keys) AS allWaiting,
      (SELECT sum(placed) FROM keys) AS allPlaced, (SELECT min(since) FROM keys) AS oldest
    FROM keys ORDER BY waiting DESC, placed DESC, key LIMIT ${most}`;
}

function aheadSql(asked: Asked, { tenant, runId }: RunKey): Sql {
  return sql`WITH line AS MATERIALIZED (${inLine(asked)}), own AS MATERIALIZED (
      SELECT l.*, coalesce((SELECT turn FROM queue_keys WHERE queue = ${asked.queue} AND queue_key = l.key), ${lastTurn}) AS turn
      FROM line AS l WHERE l.id = (SELECT id FROM runs WHERE tenant = ${tenant} AND run_id = ${runId})
    ), rank AS MATERIALIZED (
      SELECT count(*) AS value FROM line AS l, own AS o WHERE l.key = o.key AND (l.priority > o.priority OR (
        l.priority = o.priority AND (l.queued_at < o.queued_at OR (l.queued_at = o.queued_at AND l.id < o.id))))
    ) SELECT rank.value + coalesce((SELECT sum(min(other.waiting, rank.value + (other.turn < own.turn))) FROM (
        SELECT count(*) AS waiting, coalesce(k.turn, ${lastTurn}) AS turn FROM line AS l
          LEFT JOIN queue_keys AS k ON k.queue = ${asked.queue} AND k.queue_key = l.key
        WHERE l.key <> (SELECT key FROM own) GROUP BY l.key
      ) AS other), 0) AS ahead FROM own, rank`;
}

interface KeyRow {
  readonly key: string;
  readonly waiting: number;
  readonly placed: number;
  readonly since: number | null;
  readonly allWaiting: number;
  readonly allPlaced: number;
  readonly oldest: number | null;
}

export function readLine(database: Database, { of, keys: most, ...asked }: LineQuery): StoredLine {
  const rows = all<KeyRow>(database, lineSql(asked, Math.max(1, most)));
  const [first] = rows;
  const ahead = of === undefined ? undefined : all<{ ahead: number }>(database, aheadSql(asked, of))[0]?.ahead;
  return {
    waiting: first?.allWaiting ?? 0,
    placed: first?.allPlaced ?? 0,
    oldestAtMs: until(asked.nowMs, first?.oldest),
    keys: rows
      .slice(0, most)
      .map(({ key, waiting, placed, since: at }) => ({ key, waiting, placed, oldestAtMs: until(asked.nowMs, at) })),
    ahead: ahead ?? null,
  };
}

/** A post from a clock that is ahead makes its run due at once. */
function until(nowMs: number, atMs: number | null | undefined): number | null {
  return atMs == null ? null : Math.min(nowMs, atMs);
}

function all<Row>(database: Database, statement: Sql): Row[] {
  const { text, values } = statement.render(() => "?");
  return database.sql(text).all(...values) as Row[];
}
