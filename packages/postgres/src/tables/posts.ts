import type { PostedMessage, PostResult, Range, RunKey, StoredPost, StoredReceipt } from "millrace/runtime";
import type { Row } from "../connection/session.js";
import { atMost, bytes, hashOf, runHash } from "../text/values.js";
import { type RunReader, runsByKeys, toRun } from "./stored-run.js";

// Positions are taken under the lock of the run, so that they rise in the order in which posts of a run are stored.
const lock = "SELECT id, ended_at FROM @runs WHERE key = $1 FOR NO KEY UPDATE";
const runOf = "(SELECT id FROM @runs WHERE key = $1)";
const earlier = `SELECT position, receipt FROM @posts WHERE run = ${runOf} AND key = $2`;
const position = "SELECT nextval('@post_positions') AS position";
const add =
  "INSERT INTO @posts (position, run, key, idempotency_key, at_ms, text, urgent) VALUES ($1, $2, $3, $4, $5, $6, $7)";
// The first open post decides the time, not the clocks of later senders.
const noteOpen = `UPDATE @runs SET posted_at = coalesce(posted_at, $2), urgent_at = coalesce(urgent_at, $3)
  WHERE id = $1 AND (posted_at IS NULL OR (urgent_at IS NULL AND $3::bigint IS NOT NULL))`;

const columns = "t.name AS tenant, r.run_id, p.position, p.idempotency_key, p.at_ms, p.text";
const open = (where: string): string => `SELECT ${columns} FROM @runs r JOIN @tenants t ON t.id = r.tenant
  JOIN @posts p ON p.run = r.id AND p.receipt IS NULL WHERE ${where} ORDER BY p.position`;
const openOfRun = open("r.key = $1");
export const openOfIds: string = open("r.id = ANY($1::bigint[])").replace("SELECT ", "SELECT r.id, ");
const openOfOwner = open("r.owner = (SELECT id FROM @owners WHERE hash = $1) AND r.posted_at IS NOT NULL");
const receipt = `SELECT receipt FROM @posts WHERE run = ${runOf} AND position = $2`;
const receiptOfKey = `SELECT receipt FROM @posts WHERE run = ${runOf} AND key = $2`;
const receivedOfRun = `SELECT position, idempotency_key AS "idempotencyKey", receipt FROM @posts
  WHERE run = ${runOf} AND position > $2 AND key IS NOT NULL AND receipt IS NOT NULL ORDER BY position LIMIT $3`;

export async function storePost(reader: RunReader, key: RunKey, message: PostedMessage): Promise<PostResult> {
  const { idempotencyKey, atMs, text, urgent = false } = message;
  const hash = runHash(key);
  const keyHash = idempotencyKey === null ? null : hashOf(idempotencyKey);
  return reader.database.write(async (transaction): Promise<PostResult> => {
    const [locked, found, given] = await Promise.all([
      transaction.all(lock, [hash]),
      keyHash === null ? [] : transaction.all(earlier, [hash, keyHash]),
      transaction.all(position, []),
    ]);
    const [run] = locked;
    if (run === undefined) return { status: "unknown" };
    const [duplicate] = found;
    if (duplicate !== undefined) {
      const { position: first, receipt: answer } = duplicate as { position: number; receipt: string | null };
      return { status: "duplicate", position: first, receipt: answer };
    }
    if (run["ended_at"] !== null && !urgent) {
      const [row] = await transaction.all(runsByKeys, [bytes([hash])]);
      return { status: "ended", run: toRun(reader, row as Row) };
    }
    const at = given[0]?.["position"] as number;
    transaction.send(add, [at, run["id"], keyHash, idempotencyKey, atMs, text, urgent]);
    transaction.send(noteOpen, [run["id"], atMs, urgent ? atMs : null]);
    return { status: "stored", position: at };
  });
}

export async function openPosts(
  { database }: RunReader,
  of: RunKey | { readonly owner: string },
): Promise<StoredPost[]> {
  const rows =
    "owner" in of ? await database.all(openOfOwner, [hashOf(of.owner)]) : await database.all(openOfRun, [runHash(of)]);
  return rows.map(toPost);
}

export async function readReceipt({ database }: RunReader, key: RunKey, of: number | string): Promise<string | null> {
  const [row] = await (typeof of === "number"
    ? database.all(receipt, [runHash(key), of])
    : database.all(receiptOfKey, [runHash(key), hashOf(of)]));
  return (row?.["receipt"] as string | null | undefined) ?? null;
}

export async function readReceived(
  { database }: RunReader,
  key: RunKey,
  { after, limit }: Range,
): Promise<StoredReceipt[]> {
  const rows = await database.all(receivedOfRun, [runHash(key), after, atMost(limit)]);
  return rows as unknown as StoredReceipt[];
}

export function toPost(row: Row): StoredPost {
  return {
    key: { tenant: row["tenant"] as string, runId: row["run_id"] as string },
    position: row["position"] as number,
    idempotencyKey: row["idempotency_key"] as string | null,
    atMs: row["at_ms"] as number,
    text: row["text"] as string,
  };
}
