import type { RunKey } from "millrace/runtime";
import { dropBlobs } from "./blobs.js";
import type { Database } from "./database.js";

const find = "SELECT id FROM runs WHERE tenant = ? AND run_id = ? AND owner IS NULL";
const removals: readonly string[] = [
  "DELETE FROM labels WHERE run = ?",
  "DELETE FROM ticks WHERE run = ?",
  "DELETE FROM events WHERE run = ?",
  "DELETE FROM snapshots WHERE run = ?",
  "DELETE FROM posts WHERE run = ?",
  "DELETE FROM starts WHERE run = ?",
  "DELETE FROM runs WHERE id = ?",
];

/** Everything of a run, in a transaction. False: there is no such run, or somebody holds it. */
export function removeRun(database: Database, key: RunKey): boolean {
  const row = database.sql(find).get(key.tenant, key.runId) as { readonly id: number } | undefined;
  if (row === undefined) return false;
  dropBlobs(database, row.id);
  for (const removal of removals) database.sql(removal).run(row.id);
  return true;
}
