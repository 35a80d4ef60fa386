/**
 * Large texts, each stored once under its hash.
 *
 * A run refers to a blob as long as the run itself, a batch of its ticks, or a snapshot names the hash. A blob without
 * references is deleted. Who refers to a blob holds a lock on it until the end of the transaction, so that nobody deletes
 * it meanwhile.
 *
 * @module
 */
import type { RunCommit } from "millrace/runtime";
import type { Database } from "./database.js";
import type { Taken } from "./plan.js";
import { surprises } from "./store-error.js";
import type { Transaction } from "./transaction.js";
import { numbers, texts } from "./values.js";

type Blobs = NonNullable<RunCommit["blobs"]>;

const add = "INSERT INTO @blobs (hash, text) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING";
const hold = `WITH held AS MATERIALIZED (SELECT 1 FROM @blobs WHERE hash = ANY($1::text[]) ORDER BY hash FOR KEY SHARE)
  SELECT @expect((SELECT count(*) FROM held), $2, '${surprises.state}')`;
const refer = `INSERT INTO @blob_refs (run, blob, by_run, by_tick, by_snapshot)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::bigint[], $5::bigint[])
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

interface Reference {
  readonly run: number;
  readonly hash: string;
  readonly isForGood: boolean;
  readonly tick: number;
  readonly snapshot: number;
}

/** @param recent Null: all texts are sent. */
export function sendBlobs(transaction: Transaction, taken: readonly Taken[], recent: RecentBlobs | null): void {
  const all = new Map<string, string>();
  const references = taken.flatMap(({ commit, after }) => referencesOf(commit, after.id, all));
  if (references.length === 0) return;
  const sorted = [...all.keys()].sort();
  for (const hash of sorted) if (recent?.has(hash) !== true) transaction.send(add, [hash, all.get(hash)]);
  transaction.send(hold, [texts(sorted), sorted.length]);
  transaction.send(refer, [
    numbers(references.map(({ run }) => run)),
    texts(references.map(({ hash }) => hash)),
    numbers(references.map(({ isForGood }) => isForGood)),
    numbers(references.map(({ tick }) => tick)),
    numbers(references.map(({ snapshot }) => snapshot)),
  ]);
}

/** Adds the blobs of the commit to `all`. */
function referencesOf(commit: RunCommit, run: number, all: Map<string, string>): Reference[] {
  const { blobs = [] } = commit;
  if (blobs.length === 0) return [];
  const byRun = named(textsForGood(commit), blobs);
  const byTicks = named([commit.ticks?.text], blobs);
  const bySnapshot = named([commit.snapshot?.text], blobs);
  const unique = new Map(blobs.map(({ hash, text }) => [hash, text]));
  return Array.from(unique, ([hash, text]) => {
    all.set(hash, text);
    const tick = byTicks.has(hash) ? (commit.ticks?.last ?? -1) : -1;
    const snapshot = bySnapshot.has(hash) ? (commit.snapshot?.tick ?? -1) : -1;
    // A blob that no text visibly names is kept as long as the run: keeping it too long is better than losing it.
    return { run, hash, isForGood: byRun.has(hash) || (tick < 0 && snapshot < 0), tick, snapshot };
  });
}

/** Hashes of the blobs that the texts name, directly or through other blobs. */
function named(from: readonly (string | null | undefined)[], blobs: Blobs): ReadonlySet<string> {
  const found = new Set<string>();
  const rest = from.filter((text) => typeof text === "string");
  for (const text of rest) {
    for (const blob of blobs) {
      if (found.has(blob.hash) || !text.includes(blob.hash)) continue;
      found.add(blob.hash);
      rest.push(blob.text);
    }
  }
  return found;
}

/** Texts that stay as long as the run. */
function textsForGood({ create, summary, events = [], receipts = [] }: RunCommit): (string | null | undefined)[] {
  return [
    create?.code,
    create?.input,
    summary?.outcome,
    summary?.waiting,
    ...events.map((event) => event.text),
    ...receipts.map((receipt) => receipt.receipt),
  ];
}
