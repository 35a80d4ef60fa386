import type {
  PostedMessage,
  PostResult,
  Range,
  ReceivedMessage,
  RunKey,
  StoredPost,
  StoredReceipt,
} from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { Row } from "../connection/row.js";
import { atMost } from "./journal.js";
import { findRun } from "./stored-run.js";

const target = "SELECT id, ended_at FROM runs WHERE tenant = ? AND run_id = ?";
const earlier = "SELECT position, receipt FROM posts WHERE run = ? AND idempotency_key = ?";
const add = "INSERT INTO posts (run, idempotency_key, at_ms, text, urgent) VALUES (?, ?, ?, ?, ?)";
// The first open post decides the time, not the clocks of later senders.
const noteOpen = "UPDATE runs SET posted_at = coalesce(posted_at, ?), urgent_at = coalesce(urgent_at, ?) WHERE id = ?";
const firstOpen = (more = ""): string =>
  `(SELECT at_ms FROM posts WHERE run = runs.id AND receipt IS NULL${more} ORDER BY position LIMIT 1)`;
const noteReceived = `UPDATE runs SET posted_at = ${firstOpen()}, urgent_at = ${firstOpen(" AND urgent = 1")} WHERE id = ?`;
const setReceipt = "UPDATE posts SET receipt = ? WHERE position = ? AND run = ? AND receipt IS NULL";

const columns = "r.tenant, r.run_id, p.position, p.idempotency_key, p.at_ms, p.text";
const openOfId = `SELECT ${columns} FROM posts AS p CROSS JOIN runs AS r ON r.id = p.run
  WHERE p.run = ? AND p.receipt IS NULL ORDER BY p.position`;
const openOfRun = `SELECT ${columns} FROM runs AS r CROSS JOIN posts AS p ON p.run = r.id AND p.receipt IS NULL
  WHERE r.tenant = ? AND r.run_id = ? ORDER BY p.position`;
const openOfOwner = `SELECT ${columns} FROM runs AS r CROSS JOIN posts AS p ON p.run = r.id AND p.receipt IS NULL
  WHERE r.owner = ? AND r.posted_at IS NOT NULL ORDER BY p.position`;
const ofRun = "run = (SELECT id FROM runs WHERE tenant = ? AND run_id = ?)";
const receipt = `SELECT receipt FROM posts WHERE position = ? AND ${ofRun}`;
const receiptOfKey = `SELECT receipt FROM posts WHERE idempotency_key = ? AND ${ofRun}`;
const receivedOfRun = `SELECT position, idempotency_key, receipt FROM posts
  WHERE ${ofRun} AND position > ? AND idempotency_key IS NOT NULL AND receipt IS NOT NULL ORDER BY position LIMIT ? + 0`;
// The first of several messages with one key stays.
const addReceived = "INSERT OR IGNORE INTO posts (run, idempotency_key, at_ms, text, receipt) VALUES (?, ?, 0, '', ?)";

/** Needs a transaction. */
export function storePost(database: Database, key: RunKey, message: PostedMessage): PostResult {
  const run = database.sql(target).get(key.tenant, key.runId) as { id: number; ended_at: unknown } | undefined;
  if (run === undefined) return { status: "unknown" };
  const { idempotencyKey } = message;
  const duplicate = idempotencyKey === null ? undefined : database.sql(earlier).get(run.id, idempotencyKey);
  if (duplicate !== undefined) {
    const row = postRow(database, key, duplicate);
    return { status: "duplicate", position: row.integer("position"), receipt: row.textOrNull("receipt") };
  }
  const ended = run.ended_at === null || message.urgent === true ? null : findRun(database, key);
  if (ended !== null) return { status: "ended", run: ended.run };
  return { status: "stored", position: addPost(database, run.id, message) };
}

/** Needs a transaction. */
export function addPost(database: Database, run: number, message: PostedMessage): number {
  const { idempotencyKey, atMs, text, urgent = false } = message;
  const { lastInsertRowid } = database.sql(add).run(run, idempotencyKey, atMs, text, urgent ? 1 : 0);
  database.sql(noteOpen).run(atMs, urgent ? atMs : null, run);
  return Number(lastInsertRowid);
}

export function storeReceipts(
  database: Database,
  run: number,
  receipts: readonly { readonly position: number; readonly receipt: string }[],
): void {
  // A second receipt for one post changes nothing: it is repeated after a crash, with the same content.
  for (const { position, receipt: text } of receipts) database.sql(setReceipt).run(text, position, run);
  database.sql(noteReceived).run(run);
}

export function storeReceived(database: Database, run: number, received: readonly ReceivedMessage[]): void {
  for (const { idempotencyKey, receipt: text } of received) database.sql(addReceived).run(run, idempotencyKey, text);
}

export function openPosts(database: Database, of: RunKey | { readonly owner: string }): StoredPost[] {
  const rows =
    "owner" in of ? database.sql(openOfOwner).all(of.owner) : database.sql(openOfRun).all(of.tenant, of.runId);
  return toPosts(database, rows);
}

export function openPostsOfId(database: Database, run: number): StoredPost[] {
  return toPosts(database, database.sql(openOfId).all(run));
}

export function readReceipt(database: Database, key: RunKey, of: number | string): string | null {
  const values = database.sql(typeof of === "number" ? receipt : receiptOfKey).get(of, key.tenant, key.runId);
  return values === undefined ? null : postRow(database, key, values).textOrNull("receipt");
}

export function readReceived(database: Database, key: RunKey, { after, limit }: Range): StoredReceipt[] {
  const rows = database.sql(receivedOfRun).all(key.tenant, key.runId, after, atMost(limit));
  return rows.map((values) => {
    const row = postRow(database, key, values);
    return {
      position: row.integer("position"),
      idempotencyKey: row.text("idempotency_key"),
      receipt: row.text("receipt"),
    };
  });
}

function toPosts(database: Database, rows: unknown[]): StoredPost[] {
  return rows.map((values) => {
    const { tenant, run_id: runId } = values as { readonly tenant: string; readonly run_id: string };
    const row = postRow(database, { tenant, runId }, values);
    return {
      key: { tenant: row.text("tenant"), runId: row.text("run_id") },
      position: row.integer("position"),
      idempotencyKey: row.textOrNull("idempotency_key"),
      atMs: row.integer("at_ms"),
      text: row.text("text"),
    };
  });
}

function postRow(database: Database, key: RunKey, values: unknown): Row {
  return new Row({ path: database.path, table: "posts", key: `${key.tenant}/${key.runId}` }, values);
}
