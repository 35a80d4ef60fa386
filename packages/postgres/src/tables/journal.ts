import type { Range, RunKey, StoredEvent, StoredJournal, StoredSnapshot, TickBatch } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { atMost, bytes, runHash } from "../text/values.js";

const runOf = "(SELECT id FROM @runs WHERE key = $1)";
const ticks = `SELECT first, last, at_ms AS "atMs", text FROM @ticks t WHERE run = ${runOf} AND last > $2
  AND first >= coalesce((SELECT f.first FROM @ticks f WHERE f.run = ${runOf} AND f.first <= $2 + 1 ORDER BY f.first DESC LIMIT 1), 0)
  ORDER BY first LIMIT $3`;
const events = `SELECT sequence, at_ms AS "atMs", text FROM @events WHERE run = ${runOf} AND sequence > $2
  ORDER BY sequence LIMIT $3`;
const snapshot = `SELECT tick, at_ms AS "atMs", text FROM @snapshots WHERE run = ${runOf} AND tick <= $2
  ORDER BY tick DESC LIMIT 1`;

/** A journal with more batches is read by itself. */
const maxBatches = 500;
const since = (columns: string): string => `SELECT ${columns} FROM @ticks t
  WHERE t.run = j.run AND t.first >= j.from_batch AND t.last > j.tick ORDER BY t.first LIMIT ${maxBatches + 1}`;
const latest = (columns: string): string =>
  `SELECT ${columns} FROM @snapshots s WHERE s.run = j.run ORDER BY s.tick DESC LIMIT 1`;
// A list and LATERAL, and no joins: they leave nothing but to walk the indexes, also to a plan that was made for empty tables.
const journals = `WITH asked AS MATERIALIZED (
    SELECT array_position($1::bytea[], r.key) AS number, r.id AS run FROM @runs r WHERE r.key = ANY($1::bytea[])
  ), snapped AS MATERIALIZED (
    SELECT j.*, coalesce(s.tick, 0) AS tick, coalesce(s.bytes, 0) AS bytes
    FROM asked j LEFT JOIN LATERAL (${latest("s.tick, octet_length(s.text) AS bytes")}) s ON true
  ), begun AS MATERIALIZED (
    SELECT j.*, (SELECT t.first FROM @ticks t WHERE t.run = j.run ORDER BY t.first LIMIT 1) AS first_tick, coalesce((
      SELECT t.first FROM @ticks t WHERE t.run = j.run AND t.first <= j.tick + 1 ORDER BY t.first DESC LIMIT 1), 0) AS from_batch
    FROM snapped j
  ), measured AS (
    SELECT j.*, sum(j.bytes + b.bytes) OVER (ORDER BY j.bytes + b.bytes, j.number) AS total FROM begun j CROSS JOIN LATERAL (
      SELECT count(*) AS batches, coalesce(sum(bytes), 0) AS bytes FROM (${since("octet_length(t.text) AS bytes")}) counted
    ) b WHERE b.batches <= ${maxBatches}
  ), fitting AS MATERIALIZED (SELECT * FROM measured WHERE total <= $2)
  SELECT j.number, coalesce(j.first_tick, j.tick + 1) AS "firstTick", NULL AS first, s.tick AS last, s.at_ms AS "atMs", s.text
  FROM fitting j CROSS JOIN LATERAL (${latest("s.tick, s.at_ms, s.text")}) s
  UNION ALL
  SELECT j.number, j.first_tick, t.first, t.last, t.at_ms, t.text
  FROM fitting j CROSS JOIN LATERAL (${since("t.first, t.last, t.at_ms, t.text")}) t
  ORDER BY 1, 3 NULLS FIRST`;

export async function readTicks(database: Database, key: RunKey, { after, limit }: Range): Promise<TickBatch[]> {
  const rows = await database.all(ticks, [runHash(key), after, atMost(limit)]);
  return rows as unknown as TickBatch[];
}

export async function readEvents(database: Database, key: RunKey, { after, limit }: Range): Promise<StoredEvent[]> {
  const rows = await database.all(events, [runHash(key), after, atMost(limit)]);
  return rows as unknown as StoredEvent[];
}

export async function readSnapshot(database: Database, key: RunKey, atOrBelow: number): Promise<StoredSnapshot | null> {
  const [row] = await database.all(snapshot, [runHash(key), atMost(atOrBelow)]);
  return (row as StoredSnapshot | undefined) ?? null;
}

interface JournalRow {
  readonly number: number;
  readonly firstTick: number;
  /** `null` if it is a snapshot, and `last` is its tick. */
  readonly first: number | null;
  readonly last: number;
  readonly atMs: number;
  readonly text: string;
}

/** Takes bytes for characters, which are never more: bytes are known without a look at the text. */
export async function readJournals(
  database: Database,
  keys: readonly RunKey[],
  maxLength: number,
): Promise<StoredJournal[]> {
  const rows = await database.all(journals, [bytes(keys.map(runHash)), atMost(maxLength)]);
  const byNumber = new Map<number, JournalRow[]>();
  for (const row of rows as unknown as JournalRow[]) {
    const parts = byNumber.get(row.number);
    if (parts === undefined) byNumber.set(row.number, [row]);
    else parts.push(row);
  }
  return [...byNumber].map(([number, parts]) => toJournal(keys[number - 1] as RunKey, parts));
}

function toJournal(key: RunKey, parts: readonly JournalRow[]): StoredJournal {
  const [snapshot] = parts.filter(({ first }) => first === null);
  return {
    key,
    snapshot: snapshot === undefined ? null : { tick: snapshot.last, atMs: snapshot.atMs, text: snapshot.text },
    ticks: parts.flatMap(({ first, last, atMs, text }) => (first === null ? [] : [{ first, last, atMs, text }])),
    firstTick: (parts[0] as JournalRow).firstTick,
  };
}
