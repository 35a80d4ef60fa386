import type { RecordKey, RecordPage, RecordQuery, RecordWrite, StoredRecord } from "millrace/runtime";
import type { Database } from "./database.js";
import { checkLimit } from "./list.js";
import { Row } from "./row.js";

const read = "SELECT version, text FROM records WHERE tenant = ? AND kind = ? AND id = ?";
const write = `INSERT INTO records (tenant, kind, id, version, text) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant, kind, id) DO UPDATE SET version = excluded.version, text = excluded.text`;
const remove = "DELETE FROM records WHERE tenant = ? AND kind = ? AND id = ?";
// Every page is one range of the primary key: one statement for each kind of lower and upper bound.
const page = (range: string): string =>
  `SELECT id, version, text FROM records WHERE tenant = ? AND kind = ?${range} ORDER BY id LIMIT ?`;

const utf8 = new TextEncoder();

export function readRecord(database: Database, { tenant, kind, id }: RecordKey): StoredRecord | null {
  const values = database.sql(read).get(tenant, kind, id);
  return values === undefined ? null : toRecord(database, { tenant, kind, id }, values);
}

export function listRecords(database: Database, query: RecordQuery): RecordPage {
  const { tenant, kind, prefix = "", cursor } = query;
  const limit = checkLimit(query.limit);
  const end = endOf(prefix);
  // A cursor is the last id of its page.
  const isAfter = cursor !== undefined && isBeyond(cursor, prefix);
  const text = page(`${isAfter ? " AND id > ?" : " AND id >= ?"}${end === null ? "" : " AND id < ?"}`);
  const bounds = [isAfter ? cursor : prefix, ...(end === null ? [] : [end])];
  // One more row than requested tells whether there is a next page.
  const rows = database.sql(text).all(tenant, kind, ...bounds, limit + 1);
  const records = rows.slice(0, limit).map((values) => {
    const key = { tenant, kind, id: new Row({ path: database.path, table: "records", key: kind }, values).text("id") };
    return { ...key, ...toRecord(database, key, values) };
  });
  return { records, cursor: rows.length > limit ? (records.at(-1)?.id ?? null) : null };
}

function toRecord(database: Database, { tenant, kind, id }: RecordKey, values: unknown): StoredRecord {
  const row = new Row({ path: database.path, table: "records", key: `${tenant}/${kind}/${id}` }, values);
  return { version: row.integer("version"), text: row.text("text") };
}

/** Compares as SQLite does, by UTF-8 bytes. */
function isBeyond(id: string, other: string): boolean {
  const [left, right] = [utf8.encode(id), utf8.encode(other)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length >= right.length : (left[at] as number) > (right[at] ?? -1);
}

/** The first text after every text with the prefix; `null` when there is none. */
function endOf(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // Code points of surrogates are skipped: they are not characters.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

/** Keys of the records whose version is not the expected one. */
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

/** Writes all records, or none. Returns the keys in conflict. */
export function tryWriteRecords(database: Database, writes: readonly RecordWrite[]): RecordKey[] {
  const conflicts = conflictsOf(database, writes);
  if (conflicts.length === 0) writeRecords(database, writes);
  return conflicts;
}
