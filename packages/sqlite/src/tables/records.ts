import { pageSize, rangeOfPrefix, recordKeyOf, recordPageOf } from "millrace/engine";
import type { RecordKey, RecordPage, RecordQuery, RecordWrite, StoredRecord } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { Row } from "../connection/row.js";

const read = "SELECT version, text FROM records WHERE tenant = ? AND kind = ? AND id = ?";
const write = `INSERT INTO records (tenant, kind, id, version, text) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant, kind, id) DO UPDATE SET version = excluded.version, text = excluded.text`;
const remove = "DELETE FROM records WHERE tenant = ? AND kind = ? AND id = ?";
// Every page is one range of the primary key: one statement for each kind of lower and upper bound.
const page = (range: string): string =>
  `SELECT id, version, text FROM records WHERE tenant = ? AND kind = ?${range} ORDER BY id LIMIT ? + 0`;

export function readRecord(database: Database, { tenant, kind, id }: RecordKey): StoredRecord | null {
  const values = database.sql(read).get(tenant, kind, id);
  return values === undefined ? null : toRecord(database, { tenant, kind, id }, values);
}

export function listRecords(database: Database, query: RecordQuery): RecordPage {
  const { tenant, kind, prefix = "", cursor } = query;
  const limit = pageSize(query.limit);
  const { from, isAfter, end } = rangeOfPrefix(prefix, cursor);
  const text = page(`${isAfter ? " AND id > ?" : " AND id >= ?"}${end === null ? "" : " AND id < ?"}`);
  const bounds = [from, ...(end === null ? [] : [end])];
  // Reading one more row than requested shows whether there is a next page.
  const rows = database.sql(text).all(tenant, kind, ...bounds, limit + 1);
  const records = rows.map((values) => {
    const key = { tenant, kind, id: new Row({ path: database.path, table: "records", key: kind }, values).text("id") };
    return { ...key, ...toRecord(database, key, values) };
  });
  return recordPageOf(records, limit);
}

function toRecord(database: Database, { tenant, kind, id }: RecordKey, values: unknown): StoredRecord {
  const row = new Row({ path: database.path, table: "records", key: `${tenant}/${kind}/${id}` }, values);
  return { version: row.integer("version"), text: row.text("text") };
}

/** Keys of the records whose version is not the expected one. */
export function conflictsOf(database: Database, writes: readonly RecordWrite[]): RecordKey[] {
  return writes.filter((record) => (readRecord(database, record)?.version ?? 0) !== record.expected).map(recordKeyOf);
}

export function writeRecords(database: Database, writes: readonly RecordWrite[]): void {
  for (const { tenant, kind, id, expected, text } of writes) {
    if (text === null) database.sql(remove).run(tenant, kind, id);
    else database.sql(write).run(tenant, kind, id, expected + 1, text);
  }
}

/** Writes all records, or none. Returns the keys in conflict. */
export function tryWriteRecords(database: Database, writes: readonly RecordWrite[]): RecordKey[] {
  const conflicts = conflictsOf(database, writes);
  if (conflicts.length === 0) writeRecords(database, writes);
  return conflicts;
}
