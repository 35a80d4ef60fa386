import type { RecordKey, RecordWrite, StoredRecord } from "millrace/runtime";
import type { Database } from "./database.js";
import { Row } from "./row.js";

const read = "SELECT version, text FROM records WHERE tenant = ? AND kind = ? AND id = ?";
const write = `INSERT INTO records (tenant, kind, id, version, text) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant, kind, id) DO UPDATE SET version = excluded.version, text = excluded.text`;
const remove = "DELETE FROM records WHERE tenant = ? AND kind = ? AND id = ?";

export function readRecord(database: Database, { tenant, kind, id }: RecordKey): StoredRecord | null {
  const values = database.sql(read).get(tenant, kind, id);
  if (values === undefined) return null;
  const row = new Row({ path: database.path, table: "records", key: `${tenant}/${kind}/${id}` }, values);
  return { version: row.integer("version"), text: row.text("text") };
}

/** Those that have another version than expected. */
export function conflictsOf(database: Database, writes: readonly RecordWrite[]): RecordKey[] {
  return writes
    .filter((record) => (readRecord(database, record)?.version ?? 0) !== record.expected)
    .map(({ tenant, kind, id }) => ({ tenant, kind, id }));
}

export function writeRecords(database: Database, writes: readonly RecordWrite[]): void {
  for (const { tenant, kind, id, expected, text } of writes) {
    if (text === null) database.sql(remove).run(tenant, kind, id);
    else database.sql(write).run(tenant, kind, id, expected + 1, text);
  }
}
