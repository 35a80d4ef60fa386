import { pageSize, rangeOfPrefix } from "millrace/engine";
import type { RecordKey, RecordPage, RecordQuery, RecordWrite, StoredRecord } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { Transaction } from "../connection/transaction.js";
import { recordId } from "../text/keys.js";
import { checkRecord, checkText } from "../text/names.js";
import { numbers, texts } from "../text/values.js";

const isIt = "tenant = $1 AND kind = $2 AND id = $3";
const read = `SELECT version, text FROM @records WHERE ${isIt}`;
// LATERAL, and no join: it leaves nothing but to walk the index, in the order of the keys that the client gives.
const locked = `SELECT i.number, r.version FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS i(tenant, kind, id, number)
  CROSS JOIN LATERAL (
    SELECT version FROM @records r WHERE r.tenant = i.tenant AND r.kind = i.kind AND r.id = i.id FOR UPDATE
  ) r`;
const expectVersions = `WITH found AS MATERIALIZED (
    SELECT FROM (${locked}) l WHERE l.version = ($4::bigint[])[l.number]
  ) SELECT @expect((SELECT count(*) FROM found), $5, 'MR001')`;
const add = "INSERT INTO @records (tenant, kind, id, version, text) VALUES ($1, $2, $3, $4, $5)";
const change = `UPDATE @records SET version = $4, text = $5 WHERE ${isIt}`;
const remove = `DELETE FROM @records WHERE ${isIt}`;
const page = (range: string): string => `SELECT id, version, text FROM @records
  WHERE tenant = $1 AND kind = $2${range} ORDER BY id LIMIT $3`;

export async function readRecord(database: Database, key: RecordKey): Promise<StoredRecord | null> {
  const [row] = await database.all(read, [key.tenant, key.kind, key.id]);
  return (row as StoredRecord | undefined) ?? null;
}

export async function listRecords(database: Database, query: RecordQuery): Promise<RecordPage> {
  const { tenant, kind, prefix = "", cursor } = query;
  const limit = pageSize(query.limit);
  const { from, isAfter, end } = rangeOfPrefix(prefix, cursor);
  const lower = ` AND id ${isAfter ? ">" : ">="} $4`;
  const upper = end === null ? "" : " AND id < $5";
  const bounds = [from, ...(end === null ? [] : [end])];
  // Reading one more row than requested shows whether there is a next page.
  const rows = await database.all(page(lower + upper), [tenant, kind, limit + 1, ...bounds]);
  const records = rows.slice(0, limit).map((row) => {
    const { id, version, text } = row as unknown as StoredRecord & { readonly id: string };
    return { tenant, kind, id, version, text };
  });
  return { records, cursor: rows.length > limit ? (records.at(-1)?.id ?? null) : null };
}

/** Versions of records by {@link recordId}, while their rows are locked; 0 for one that there is not. */
export async function lockRecords(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<string, number>> {
  const sorted = inOrder([...new Map(keys.map((key) => [recordId(key), { key }])).values()]);
  const versions = new Map(sorted.map(({ key }) => [recordId(key), 0]));
  for (const { number, version } of await transaction.all(locked, keysOf(sorted))) {
    const { key } = sorted[(number as number) - 1] as Keyed;
    versions.set(recordId(key), version as number);
  }
  return versions;
}

interface Keyed {
  readonly key: RecordKey;
}

/** Two processes that lock the same records then wait for each other, and do not deadlock. */
function inOrder<Item extends Keyed>(items: readonly Item[]): Item[] {
  return items.toSorted((left, right) => (recordId(left.key) < recordId(right.key) ? -1 : 1));
}

function keysOf(items: readonly Keyed[]): string[] {
  return (["tenant", "kind", "id"] as const).map((name) => texts(items.map(({ key }) => key[name])));
}

/** What becomes of one record: from the version that it has to what is stored. */
export interface RecordChange {
  readonly key: RecordKey;
  readonly before: number;
  readonly after: StoredRecord | null;
}

/** Fails the transaction where a record has another version before. */
export function sendRecords(transaction: Transaction, changes: readonly RecordChange[]): void {
  const sorted = inOrder(changes);
  const known = sorted.filter(({ before }) => before > 0);
  if (known.length > 0) {
    const versions = numbers(known.map(({ before }) => before));
    transaction.send(expectVersions, [...keysOf(known), versions, known.length]);
  }
  for (const { key, before, after } of sorted) {
    const { tenant, kind, id } = key;
    // What must not be there is added, also where it is then removed: the key of a row says whether there is one.
    const { version, text } = after ?? { version: 1, text: "" };
    if (before === 0) transaction.send(add, [tenant, kind, id, version, text]);
    else if (after !== null) transaction.send(change, [tenant, kind, id, version, text]);
    if (after === null) transaction.send(remove, [tenant, kind, id]);
  }
}

/** Writes all records, or none. Returns the keys in conflict. */
export async function tryWriteRecords(database: Database, writes: readonly RecordWrite[]): Promise<RecordKey[]> {
  for (const write of writes) {
    checkRecord(write);
    checkText("text", write.text);
  }
  if (writes.length === 0) return [];
  return database.write(async (transaction) => {
    const versions = await lockRecords(transaction, writes);
    const conflicts = writes.filter((write) => versions.get(recordId(write)) !== write.expected);
    if (conflicts.length > 0) return conflicts.map(({ tenant, kind, id }) => ({ tenant, kind, id }));
    const changes = writes.map((write) => ({
      key: write,
      before: write.expected,
      after: write.text === null ? null : { version: write.expected + 1, text: write.text },
    }));
    sendRecords(transaction, changes);
    return [];
  });
}
