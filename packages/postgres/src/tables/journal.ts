import type { Range, RunKey, StoredEvent, StoredSnapshot, TickBatch } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { runHash } from "../text/keys.js";
import { atMost } from "../text/values.js";

const runOf = "(SELECT id FROM @runs WHERE key = $1)";
const ticks = `SELECT first, last, at_ms AS "atMs", text FROM @ticks t WHERE run = ${runOf} AND last > $2
  AND first >= coalesce((SELECT f.first FROM @ticks f WHERE f.run = ${runOf} AND f.first <= $2 + 1 ORDER BY f.first DESC LIMIT 1), 0)
  ORDER BY first LIMIT $3`;
const events = `SELECT sequence, at_ms AS "atMs", text FROM @events WHERE run = ${runOf} AND sequence > $2
  ORDER BY sequence LIMIT $3`;
const snapshot = `SELECT tick, at_ms AS "atMs", text FROM @snapshots WHERE run = ${runOf} AND tick <= $2
  ORDER BY tick DESC LIMIT 1`;

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
