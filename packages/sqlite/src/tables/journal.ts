import type { Range, RunKey, StoredEvent, StoredSnapshot, TickBatch } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { Row } from "../connection/row.js";

const runOf = "(SELECT id FROM runs WHERE tenant = ? AND run_id = ?)";
const ticks = `SELECT first, last, at_ms, text FROM ticks WHERE run = ${runOf} AND last > ? ORDER BY last LIMIT ? + 0`;
const events = `SELECT sequence, at_ms, text FROM events WHERE run = ${runOf} AND sequence > ? ORDER BY sequence LIMIT ? + 0`;
const snapshot = `SELECT tick, at_ms, text FROM snapshots WHERE run = ${runOf} AND tick <= ? ORDER BY tick DESC LIMIT 1`;

export function readTicks(database: Database, key: RunKey, { after, limit }: Range): TickBatch[] {
  const rows = database.sql(ticks).all(key.tenant, key.runId, after, atMost(limit));
  return rows.map((values) => {
    const row = rowOf(database, "ticks", key)(values);
    return {
      first: row.integer("first"),
      last: row.integer("last"),
      atMs: row.integer("at_ms"),
      text: row.text("text"),
    };
  });
}

export function readEvents(database: Database, key: RunKey, { after, limit }: Range): StoredEvent[] {
  const rows = database.sql(events).all(key.tenant, key.runId, after, atMost(limit));
  return rows.map((values) => {
    const row = rowOf(database, "events", key)(values);
    return { sequence: row.integer("sequence"), atMs: row.integer("at_ms"), text: row.text("text") };
  });
}

export function readSnapshot(database: Database, key: RunKey, atOrBelow: number): StoredSnapshot | null {
  const values = database.sql(snapshot).get(key.tenant, key.runId, atMost(atOrBelow));
  if (values === undefined) return null;
  const row = rowOf(database, "snapshots", key)(values);
  return { tick: row.integer("tick"), atMs: row.integer("at_ms"), text: row.text("text") };
}

/** SQL has no integer `Infinity`. */
export const atMost = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

function rowOf(database: Database, table: string, key: RunKey): (values: unknown) => Row {
  return (values) => new Row({ path: database.path, table, key: `${key.tenant}/${key.runId}` }, values);
}
