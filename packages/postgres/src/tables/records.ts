import { pageSize, rangeOfPrefix, recordKeyOf, recordPageOf } from "millrace/engine";
import type { RecordKey, RecordPage, RecordQuery, RecordWrite, StoredRecord } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { Transaction } from "../connection/transaction.js";
import { bytes, hashOf, numberOf, numbers, recordId } from "../text/values.js";

const read = "SELECT version, text FROM @records WHERE key = $1";
const lock =
  "SELECT encode(key, 'hex') AS key, version FROM @records WHERE key = ANY($1::bytea[]) ORDER BY key FOR UPDATE";
const expectVersions = `WITH found AS MATERIALIZED (
    SELECT version FROM @records JOIN unnest($1::bytea[], $2::bigint[]) AS i(wanted, expected) ON key = wanted AND version = expected
    ORDER BY key FOR UPDATE OF records
  ) SELECT @expect((SELECT count(*) FROM found), $3, 'MR001')`;
const add = "INSERT INTO @records (key, scope, tenant, kind, id, version, text) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const change = "UPDATE @records SET version = $2, text = $3 WHERE key = $1";
// A single statement is no batch of a lane, so watchers of other stores do not see it.
const changeQuietly = "UPDATE @records SET version = $2 + 1, text = $3 WHERE key = $1 AND version = $2 RETURNING 1";
const remove = "DELETE FROM @records WHERE key = ANY($1::bytea[])";
// An index row cannot hold every id: the first characters find the place, the id decides.
const page = (range: string): string => `SELECT id, version, text FROM @records
  WHERE scope = $1 AND tenant = $2 AND kind = $3${range} ORDER BY left(id, 250), id LIMIT $4`;

export async function readRecord(database: Database, key: RecordKey): Promise<StoredRecord | null> {
  const [row] = await database.all(read, [hashOf(recordId(key))]);
  return (row as StoredRecord | undefined) ?? null;
}

export async function listRecords(database: Database, query: RecordQuery): Promise<RecordPage> {
  const { tenant, kind, prefix = "", cursor } = query;
  const limit = pageSize(query.limit);
  const { from, isAfter, end } = rangeOfPrefix(prefix, cursor);
  const lower = ` AND left(id, 250) >= left($5, 250) AND id ${isAfter ? ">" : ">="} $5`;
  const upper = end === null ? "" : " AND left(id, 250) <= left($6, 250) AND id < $6";
  const bounds = [from, ...(end === null ? [] : [end])];
  // Reading one more row than requested shows whether there is a next page.
  const rows = await database.all(page(lower + upper), [numberOf(tenant, kind), tenant, kind, limit + 1, ...bounds]);
  const records = rows.map((row) => {
    const { id, version, text } = row as unknown as StoredRecord & { readonly id: string };
    return { tenant, kind, id, version, text };
  });
  return recordPageOf(records, limit);
}

/** Versions of records by {@link recordId}, while their rows are locked; 0 for one that there is not. */
export async function lockRecords(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<string, number>> {
  const idOfHash = new Map(keys.map((key) => [hashOf(recordId(key)).toString("hex"), recordId(key)]));
  const versions = new Map([...idOfHash.values()].map((id) => [id, 0]));
  const hashes = bytes([...idOfHash.keys()].map((hash) => Buffer.from(hash, "hex")));
  for (const { key, version } of await transaction.all(lock, [hashes]))
    versions.set(idOfHash.get(key as string) as string, version as number);
  return versions;
}

/** A change of one record: from the version that it has to what is stored. */
export interface RecordChange {
  readonly key: RecordKey;
  readonly before: number;
  readonly after: StoredRecord | null;
}

/** Fails the transaction where a record has another version before. */
export function sendRecords(transaction: Transaction, changes: readonly RecordChange[]): void {
  const known = changes.filter(({ before }) => before > 0);
  if (known.length > 0) {
    const hashes = bytes(known.map(({ key }) => hashOf(recordId(key))));
    const versions = numbers(known.map(({ before }) => before));
    transaction.send(expectVersions, [hashes, versions, known.length]);
  }
  sendLocked(transaction, changes);
}

/** Writes records whose rows are locked and have these versions. */
function sendLocked(transaction: Transaction, changes: readonly RecordChange[]): void {
  const hashed = changes.map((one) => ({ ...one, hash: hashOf(recordId(one.key)) }));
  for (const { key, hash, before, after } of hashed.toSorted((left, right) => Buffer.compare(left.hash, right.hash))) {
    const { tenant, kind, id } = key;
    // A record that must not exist is added even if it is then removed: the key of a row says whether there is one.
    const { version, text } = after ?? { version: 1, text: "" };
    if (before === 0) transaction.send(add, [hash, numberOf(tenant, kind), tenant, kind, id, version, text]);
    else if (after !== null) transaction.send(change, [hash, version, text]);
  }
  const gone = hashed.filter(({ after }) => after === null).map(({ hash }) => hash);
  if (gone.length > 0) transaction.send(remove, [bytes(gone)]);
}

/** Writes all records, or none. Returns the keys in conflict. */
export async function tryWriteRecords(
  database: Database,
  writes: readonly RecordWrite[],
  { quiet = false }: { readonly quiet?: boolean } = {},
): Promise<RecordKey[]> {
  const [first, second] = writes;
  if (first === undefined) return [];
  if (quiet && second === undefined && first.expected > 0 && first.text !== null) {
    const values = [hashOf(recordId(first)), first.expected, first.text];
    return (await database.all(changeQuietly, values)).length > 0 ? [] : [recordKeyOf(first)];
  }
  return database.write(async (transaction) => {
    const versions = await lockRecords(transaction, writes);
    const conflicts = writes.filter((write) => versions.get(recordId(write)) !== write.expected);
    if (conflicts.length > 0) return conflicts.map(recordKeyOf);
    const changes = writes.map((write) => ({
      key: write,
      before: write.expected,
      after: write.text === null ? null : { version: write.expected + 1, text: write.text },
    }));
    sendLocked(transaction, changes);
    return [];
  });
}
