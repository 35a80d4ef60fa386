/**
 * One run as stored in the state of its virtual object, in memory for one activation: it serves loads and applies commits.
 *
 * @module
 */
import { type ActivationStore, isEndedStatus } from "millrace/engine";
import type { NewRunRecord, RunCommit, RunKey, StoredRun, StoredSnapshot, TickBatch } from "millrace/runtime";
import { blobHashes, blobKey, ROW, receiptKey, snapshotKey, spanKey, spansOf } from "./keys.js";

/** The value of {@link ROW}. */
export interface Row {
  readonly run: StoredRun;
  /** The invocation that works on it. */
  readonly active: string | null;
  /** What of its input finds it. @default nothing */
  readonly index?: NewRunRecord["index"];
}

/** A new value of one key of the state; `undefined` clears the key. */
export interface Change {
  readonly key: string;
  readonly value: unknown;
}

/** A commit as it is journaled, without the key and owner of its run. */
export type KeptCommit = Omit<RunCommit, "key" | "owner" | "epoch" | "create" | "records">;

/** Reads of the state of a virtual object. */
export interface StateReader {
  get<Value>(key: string): Promise<Value | null>;
  stateKeys(): Promise<string[]>;
}

export class KeptRun implements Pick<ActivationStore, "snapshot" | "ticks" | "blob"> {
  #run: StoredRun;
  #active: string | null;
  readonly #index: Row["index"];
  #batches: TickBatch[] = [];
  #snapshots: StoredSnapshot[] = [];
  readonly #blobs: Map<string, string> = new Map();
  readonly #receipts: Set<number> = new Set();
  #keys: string[] = [];

  constructor({ run, active, index }: Row) {
    this.#run = run;
    this.#index = index;
    this.#active = active;
  }

  /** Reads what a load needs: the last snapshot, and the ticks since. */
  static async read(state: StateReader, row: Row): Promise<KeptRun> {
    const kept = new KeptRun(row);
    const keys = await state.stateKeys();
    kept.#keys = keys;
    kept.#run = currentRow(row.run, keys);
    const last = spansOf("s", keys).at(-1);
    if (last !== undefined) kept.#snapshots.push((await state.get<StoredSnapshot>(last.key)) as StoredSnapshot);
    // Read at once: each may take a request. Large values are in blobs, which would be too large together.
    const later = spansOf("t", keys).filter(({ last: tick }) => tick > (last?.first ?? 0));
    for (const batch of later.map(({ key }) => state.get<TickBatch>(key)))
      kept.#batches.push((await batch) as TickBatch);
    for (const hash of blobHashes(keys)) kept.#blobs.set(hash, (await state.get<string>(blobKey(hash))) as string);
    return kept;
  }

  get run(): StoredRun {
    return this.#run;
  }

  /** Positions of the posts that were answered since the read. */
  get answered(): ReadonlySet<number> {
    return this.#receipts;
  }

  setActive(active: string | null): Change {
    this.#active = active;
    return this.#row();
  }

  /** Applies a commit. Returns its changes of the state. */
  apply(commit: KeptCommit): Change[] {
    const changes: Change[] = [];
    const set = (key: string, value: unknown): void => {
      changes.push({ key, value });
      this.#keys.push(key);
    };
    for (const { hash, text } of commit.blobs ?? []) {
      if (this.#blobs.has(hash)) continue;
      this.#blobs.set(hash, text);
      set(blobKey(hash), text);
    }
    if (commit.ticks !== undefined) {
      const { first, last, atMs } = commit.ticks;
      this.#batches.push(commit.ticks);
      this.#run = { ...this.#run, ticks: last, updatedAtMs: Math.max(this.#run.updatedAtMs, atMs) };
      set(spanKey("t", first, last), commit.ticks);
    }
    const events = (commit.events ?? []).filter(({ sequence }) => sequence > this.#run.lastEvent);
    const [firstEvent, lastEvent] = [events[0]?.sequence, events.at(-1)?.sequence];
    if (firstEvent !== undefined && lastEvent !== undefined) {
      this.#run = { ...this.#run, lastEvent };
      set(spanKey("e", firstEvent, lastEvent), events);
    }
    if (commit.forget !== undefined) this.#drop(forgottenKeys(new Set(commit.forget), this.#keys), changes);
    for (const { position, receipt } of commit.receipts ?? []) {
      this.#receipts.add(position);
      set(receiptKey(position), receipt);
    }
    for (const { idempotencyKey, receipt } of commit.received ?? []) set(receiptKey(idempotencyKey), receipt);
    if (commit.snapshot !== undefined) {
      this.#snapshots.push(commit.snapshot);
      set(snapshotKey(commit.snapshot.tick), commit.snapshot);
    }
    if (commit.prune !== undefined) {
      this.#drop(prunedKeys(commit.prune, this.#keys), changes);
    }
    const { status, version } = this.#run;
    if (commit.version !== undefined) this.#run = { ...this.#run, version: commit.version };
    if (commit.summary !== undefined) this.#summarize(commit.summary);
    // For the commit that releases the run, `setActive` writes the row.
    if ((this.#run.status !== status || this.#run.version !== version) && commit.release !== true)
      changes.push(this.#row());
    return changes;
  }

  #drop(keys: readonly string[], changes: Change[]): void {
    const dropped = new Set(keys);
    this.#keys = this.#keys.filter((key) => !dropped.has(key));
    for (const key of dropped) changes.push({ key, value: undefined });
  }

  #summarize({ status, atMs, wakeAtMs, outcome, waiting }: NonNullable<RunCommit["summary"]>): void {
    const updatedAtMs = Math.max(this.#run.updatedAtMs, atMs);
    const endedAtMs = isEndedStatus(status) ? atMs : null;
    this.#run = { ...this.#run, status, updatedAtMs, endedAtMs, wakeAtMs, outcome, waiting };
  }

  #row(): Change {
    const index = this.#index === undefined ? {} : { index: this.#index };
    return { key: ROW, value: { run: this.#run, active: this.#active, ...index } satisfies Row };
  }

  // ---- reads of a load

  async snapshot(_key: RunKey, atOrBelow: number = Number.POSITIVE_INFINITY): Promise<StoredSnapshot | null> {
    return this.#snapshots.findLast(({ tick }) => tick <= atOrBelow) ?? null;
  }

  async ticks(_key: RunKey, { after, limit }: { after: number; limit: number }): Promise<TickBatch[]> {
    return this.#batches.filter(({ last }) => last > after).slice(0, limit);
  }

  async blob(hash: string): Promise<string | null> {
    return this.#blobs.get(hash) ?? null;
  }
}

/** The row as it would be now. It is written only when the status changes; the keys show how far the run is. */
export function currentRow(run: StoredRun, keys: readonly string[]): StoredRun {
  const ticks = Math.max(run.ticks, spansOf("t", keys).at(-1)?.last ?? 0);
  const lastEvent = Math.max(run.lastEvent, spansOf("e", keys).at(-1)?.last ?? -1);
  return { ...run, ticks, lastEvent };
}

/** Keys of event spans that were forgotten as a whole. Other spans stay as they are. */
function forgottenKeys(sequences: ReadonlySet<number>, keys: readonly string[]): string[] {
  const isGone = ({ first, last }: { readonly first: number; readonly last: number }): boolean => {
    for (let sequence = first; sequence <= last; sequence++) if (!sequences.has(sequence)) return false;
    return true;
  };
  return spansOf("e", keys)
    .filter(isGone)
    .map(({ first, last }) => spanKey("e", first, last));
}

function prunedKeys({ ticks, snapshots }: NonNullable<RunCommit["prune"]>, keys: readonly string[]): string[] {
  return [
    ...spansOf("t", keys).filter(({ last }) => last <= ticks),
    ...spansOf("s", keys).filter(({ first }) => first < snapshots),
  ].map(({ key }) => key);
}
