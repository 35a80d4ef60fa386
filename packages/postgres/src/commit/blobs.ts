/**
 * Large texts, each stored once under its hash.
 *
 * A run refers to a blob as long as the run itself, a batch of its ticks, or a snapshot names the hash. A blob without
 * references is deleted. A transaction that refers to a blob holds a lock on it until its end, so that no other one deletes
 * it meanwhile.
 *
 * @module
 */
import { blobUses } from "millrace/engine";
import type { Database } from "../connection/database.js";
import type { Transaction } from "../connection/transaction.js";
import { mismatchCodes } from "../store-error.js";
import { texts } from "../text/values.js";
import { Columns } from "./columns.js";
import type { Taken } from "./plan.js";

const add = "INSERT INTO @blobs (hash, text) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING";
const hold = `WITH held AS MATERIALIZED (SELECT 1 FROM @blobs WHERE hash = ANY($1::text[]) ORDER BY hash FOR KEY SHARE)
  SELECT @expect((SELECT count(*) FROM held), $2, '${mismatchCodes.state}')`;
const references = new Columns("run bigint, hash text, isForGood boolean, tick bigint, snapshot bigint");
const refer = `INSERT INTO @blob_refs (run, blob, by_run, by_tick, by_snapshot)
  SELECT * FROM ${references.input}
  ON CONFLICT (run, blob) DO UPDATE SET by_run = blob_refs.by_run OR excluded.by_run,
    by_tick = greatest(blob_refs.by_tick, excluded.by_tick),
    by_snapshot = greatest(blob_refs.by_snapshot, excluded.by_snapshot)`;
const read = "SELECT text FROM @blobs WHERE hash = $1";

/** How many hashes are remembered of texts that were stored, which are not sent again. */
const maxRecent = 1_000;

export async function readBlob(database: Database, hash: string): Promise<string | null> {
  const [row] = await database.all(read, [hash]);
  return (row?.["text"] as string | undefined) ?? null;
}

/** Hashes of texts that were in the database a moment ago. */
export class RecentBlobs {
  readonly #hashes = new Set<string>();

  has(hash: string): boolean {
    return this.#hashes.has(hash);
  }

  add(blobs: Iterable<string>): void {
    for (const hash of blobs) {
      this.#hashes.delete(hash);
      this.#hashes.add(hash);
    }
    for (const hash of this.#hashes) {
      if (this.#hashes.size <= maxRecent) return;
      this.#hashes.delete(hash);
    }
  }

  clear(): void {
    this.#hashes.clear();
  }
}

/** @param recent Null: all texts are sent. */
export function sendBlobs(transaction: Transaction, taken: readonly Taken[], recent: RecentBlobs | null): void {
  const uses = taken.flatMap(({ commit, after }) => {
    // A commit may contain one text twice; a row is written once.
    const ofRun = new Map(blobUses(commit).map((use) => [use.hash, use]));
    return Array.from(ofRun.values(), (use) => ({ ...use, run: after.id }));
  });
  if (uses.length === 0) return;
  const all = new Map(uses.map(({ hash, text }) => [hash, text]));
  const sorted = [...all.keys()].sort();
  for (const hash of sorted) if (recent?.has(hash) !== true) transaction.send(add, [hash, all.get(hash)]);
  transaction.send(hold, [texts(sorted), sorted.length]);
  transaction.send(refer, references.values(uses));
}
