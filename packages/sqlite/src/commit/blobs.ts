/**
 * Large texts, each stored once under its hash.
 *
 * A run refers to a blob as long as the run itself, a batch of its ticks, or a snapshot names the hash. A blob without
 * references is deleted.
 *
 * @module
 */
import { blobUses } from "millrace/engine";
import type { RunCommit } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { Row } from "../connection/row.js";

type Prune = NonNullable<RunCommit["prune"]>;

const add = "INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING";
const idOf = "SELECT id FROM blobs WHERE hash = ?";
const refer = `INSERT INTO blob_refs (run, blob, by_run, by_tick, by_snapshot) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (run, blob) DO UPDATE SET by_run = max(by_run, excluded.by_run),
    by_tick = max(by_tick, excluded.by_tick), by_snapshot = max(by_snapshot, excluded.by_snapshot)`;
const unreferPruned = `DELETE FROM blob_refs WHERE run = ? AND by_run = 0 AND by_tick <= ? AND by_snapshot < ?
  RETURNING blob`;
const unreferAll = "DELETE FROM blob_refs WHERE run = ? RETURNING blob";
const removeUnused = "DELETE FROM blobs WHERE id = ? AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE blob = blobs.id)";
const read = "SELECT text FROM blobs WHERE hash = ?";

export function readBlob(database: Database, hash: string): string | null {
  const values = database.sql(read).get(hash);
  if (values === undefined) return null;
  return new Row({ path: database.path, table: "blobs", key: hash }, values).text("text");
}

/** @param ids Numbers of blobs that are known to exist; it adds those of the commit. */
export function storeBlobs(
  database: Database,
  ids: Map<string, number>,
  { run, commit }: { readonly run: number; readonly commit: RunCommit },
): void {
  for (const { hash, text, isForGood, tick, snapshot } of blobUses(commit)) {
    const blob = ids.get(hash) ?? storeBlob(database, hash, text);
    ids.set(hash, blob);
    database.sql(refer).run(run, blob, isForGood ? 1 : 0, tick, snapshot);
  }
}

function storeBlob(database: Database, hash: string, text: string): number {
  const known = database.sql(idOf).get(hash) as { readonly id: number } | undefined;
  return known?.id ?? Number(database.sql(add).run(hash, text).lastInsertRowid);
}

/** Deletes the blobs that only the pruned ticks and snapshots named. */
export function pruneBlobs(database: Database, run: number, prune: Prune): void {
  drop(database, database.sql(unreferPruned).all(run, prune.ticks, prune.snapshots));
}

export function dropBlobs(database: Database, run: number): void {
  drop(database, database.sql(unreferAll).all(run));
}

function drop(database: Database, rows: unknown[]): void {
  for (const { blob } of rows as { readonly blob: number }[]) database.sql(removeUnused).run(blob);
}
