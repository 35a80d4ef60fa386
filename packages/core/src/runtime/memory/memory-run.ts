import type { Due, Timers } from "../../host.js";
import { pageSize } from "../../value/options.js";
import type {
  ClaimedRun,
  NewRunRecord,
  RecordKey,
  RecordPage,
  RecordQuery,
  RecordWrite,
  RunCommit,
  RunKey,
  RunSummary,
  StoredEvent,
  StoredJournal,
  StoredPost,
  StoredReceipt,
  StoredRecord,
  StoredRun,
  StoredSnapshot,
  StoredStatus,
  TickBatch,
} from "../store/run-store.types.js";
import { copiedIndex, isEndedStatus, newStoredRun, recordKeyOf, recordPageOf } from "../store/store-kit.js";
import { type BlobUse, blobUses } from "../text/blob-text.js";

/** A run in a queue of runs that need an owner. */
export interface DueEntry extends Due {
  readonly run: MemoryRun;
  readonly queue: Timers<DueEntry>;
}

type Row = { -readonly [Column in keyof StoredRun]: StoredRun[Column] };

/** One run of a {@link memoryStore} with everything that belongs to it. */
export class MemoryRun {
  /** Rises with every run of the store: orders runs that were created in the same millisecond. */
  readonly number: number;
  /** Readers get a copy. */
  readonly row: Row;
  /** Values of its input, by name. */
  readonly index: NonNullable<NewRunRecord["index"]>;

  /** Sorted by tick, by sequence, by tick. */
  readonly batches: TickBatch[] = [];
  readonly events: StoredEvent[] = [];
  readonly snapshots: StoredSnapshot[] = [];

  /** Posts without a receipt, and the receipts of the others, by position and in order. */
  readonly pending: Map<number, StoredPost> = new Map();
  /** Positions of those in `pending` that are urgent. */
  readonly urgent: Set<number> = new Set();
  readonly receipts: Map<number, string> = new Map();
  readonly positions: Map<string, number> = new Map();

  readonly blobs: NeededBlobs = new Map();
  due: DueEntry | null = null;
  /** `true` if it has had a place of its queue, and no longer counts against the rate. */
  hadPlace = false;
  /** `true` if it stands in the line of its queue. */
  isInLine = false;
  /** Kind of the failure that ended it; `null` for none. */
  failure: string | null = null;
  /** Step at which it failed or timed out; `null` for none. */
  failedStep: string | null = null;
  /** `true` if it was deleted from the store. */
  removed = false;

  constructor(key: RunKey, created: NewRunRecord, number: number) {
    this.number = number;
    this.row = newStoredRun(key, created);
    this.index = copiedIndex(created.index);
  }

  /** Receipts in the order of positions. */
  received(after: number): StoredReceipt[] {
    return [...this.positions]
      .flatMap(([idempotencyKey, position]) => {
        const receipt = this.receipts.get(position);
        return receipt === undefined || position <= after ? [] : [{ idempotencyKey, receipt, position }];
      })
      .sort((left, right) => left.position - right.position);
  }

  get isEnded(): boolean {
    return this.row.endedAtMs !== null;
  }

  /** Status that readers see: `queued` while the run stands in line. */
  get status(): StoredStatus {
    return this.isInLine ? "queued" : this.row.status;
  }

  isHeldBy(owner: string | null, epoch: number): boolean {
    return this.row.lease !== null && this.row.lease.owner === owner && this.row.epoch === epoch;
  }

  /** Time of the oldest urgent post, in epoch milliseconds; `null` without one. */
  get urgentAtMs(): number | null {
    for (const position of this.urgent) return this.pending.get(position)?.atMs ?? null;
    return null;
  }

  /** When the run needs an owner, in epoch milliseconds, past or future; `null` while it needs none. Leaves out urgent posts. */
  get dueAtMs(): number | null {
    const { lease, status, wakeAtMs } = this.row;
    if (this.isEnded) return null;
    if (lease !== null) return lease.untilMs;
    const [post] = this.pending.values();
    if (post === undefined || status === "scheduled") return wakeAtMs;
    return wakeAtMs === null ? post.atMs : Math.min(post.atMs, wakeAtMs);
  }

  /** Applies a stored commit, except lease, records and blobs, which belong to the store. */
  apply(commit: RunCommit): void {
    if (commit.ticks !== undefined) this.#addTicks(commit.ticks);
    for (const event of commit.events ?? []) insert(this.events, event, sequenceOf);
    if (commit.forget !== undefined) this.#forget(new Set(commit.forget));
    if (commit.snapshot !== undefined) insert(this.snapshots, commit.snapshot, tickOf);
    for (const { position, receipt } of commit.receipts ?? []) {
      if (this.pending.delete(position)) this.receipts.set(position, receipt);
      this.urgent.delete(position);
    }
    if (commit.summary !== undefined) this.#summarize(commit.summary);
    if (commit.version !== undefined) this.row.version = commit.version;
    if (commit.prune !== undefined) this.#prune(commit.prune);
  }

  #forget(sequences: ReadonlySet<number>): void {
    const kept = this.events.filter(({ sequence }) => !sequences.has(sequence));
    this.events.splice(0, this.events.length, ...kept);
  }

  #addTicks(batch: TickBatch): void {
    this.batches.push(batch);
    this.row.ticks = batch.last;
    this.row.updatedAtMs = Math.max(this.row.updatedAtMs, batch.atMs);
  }

  #summarize({ status, atMs, wakeAtMs, outcome, waiting, failure, failedStep }: RunSummary): void {
    this.failure = failure ?? null;
    this.failedStep = failedStep ?? null;
    const updatedAtMs = Math.max(this.row.updatedAtMs, atMs);
    const endedAtMs = isEndedStatus(status) ? atMs : null;
    Object.assign(this.row, { status, wakeAtMs, outcome, waiting, updatedAtMs, endedAtMs });
  }

  #prune({ ticks, snapshots }: NonNullable<RunCommit["prune"]>): void {
    this.batches.splice(
      0,
      countWhile(this.batches, (batch) => batch.last <= ticks),
    );
    this.snapshots.splice(
      0,
      countWhile(this.snapshots, (snapshot) => snapshot.tick < snapshots),
    );
  }

  /** A copy of the run as it is now. */
  toStored(): StoredRun {
    return { ...this.row, status: this.status, lastEvent: this.events.at(-1)?.sequence ?? -1 };
  }

  toJournal(): StoredJournal {
    const snapshot = this.snapshots.at(-1) ?? null;
    const tick = snapshot?.tick ?? 0;
    const ticks = this.ticksAfter(tick);
    return { key: this.row.key, snapshot, ticks, firstTick: this.batches[0]?.first ?? tick + 1 };
  }

  /** Begins with the batch that holds the next tick. */
  ticksAfter(tick: number): TickBatch[] {
    return this.batches.slice(countWhile(this.batches, (batch) => batch.last <= tick));
  }

  toClaimed(): ClaimedRun {
    return { run: this.toStored(), posts: [...this.pending.values()] };
  }
}

const sequenceOf = (event: StoredEvent): number => event.sequence;
const tickOf = (snapshot: StoredSnapshot): number => snapshot.tick;

/** Number of leading items that satisfy a condition, which turns false once. */
export function countWhile<Item>(items: readonly Item[], condition: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entry of a map, created if missing. */
export function entryOf<Entry>(map: Map<string, Entry>, name: string, create: () => Entry): Entry {
  let entry = map.get(name);
  if (entry === undefined) map.set(name, (entry = create()));
  return entry;
}

/** Keeps the order. An item with the same number stays. */
function insert<Item>(items: Item[], item: Item, numberOf: (item: Item) => number): void {
  const number = numberOf(item);
  const index = countWhile(items, (other) => numberOf(other) < number);
  const next = items[index];
  if (next === undefined || numberOf(next) !== number) items.splice(index, 0, item);
}

/** Blobs that a run needs, by hash, and for how long. */
type NeededBlobs = Map<string, Pick<BlobUse, "isForGood" | "tick" | "snapshot">>;

/** Blobs that are in no commit yet: their texts are kept only so that equal texts get equal hashes. */
const maxUnstored = 1_000;

/** Shared by all stores of the process: a hash of one store means nothing in another. */
let lastHash = 0;

/**
 * Blobs of all runs, each stored once.
 *
 * No synchronous hash function without collisions is available, so a hash is the number of a text.
 */
export class MemoryBlobs {
  readonly #blobs = new Map<string, { readonly text: string; runs: number }>();
  readonly #hashes = new Map<string, string>();
  readonly #unstored = new Set<string>();

  hash(text: string): string {
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const hash = `m${++lastHash}_`; // with an end mark: none is a part of another
    this.#hashes.set(text, hash);
    this.#unstored.add(text);
    const [oldest] = this.#unstored;
    if (this.#unstored.size > maxUnstored && oldest !== undefined) this.#forgetText(oldest);
    return hash;
  }

  get(hash: string): string | null {
    return this.#blobs.get(hash)?.text ?? null;
  }

  /** Stores the blobs of a commit for its run. */
  keep(run: MemoryRun, commit: RunCommit): void {
    for (const { hash, text, isForGood, tick, snapshot } of blobUses(commit)) {
      const known = run.blobs.get(hash);
      if (known === undefined) this.#add(hash, text);
      run.blobs.set(hash, {
        isForGood: isForGood || known?.isForGood === true,
        tick: Math.max(tick, known?.tick ?? -1),
        snapshot: Math.max(snapshot, known?.snapshot ?? -1),
      });
    }
  }

  /** Drops blobs that only pruned ticks and snapshots named. */
  prune(run: MemoryRun, prune: NonNullable<RunCommit["prune"]>): void {
    for (const [hash, use] of run.blobs) {
      if (use.isForGood || use.tick > prune.ticks || use.snapshot >= prune.snapshots) continue;
      run.blobs.delete(hash);
      this.#drop(hash);
    }
  }

  release(run: MemoryRun): void {
    for (const hash of run.blobs.keys()) this.#drop(hash);
    run.blobs.clear();
  }

  #add(hash: string, text: string): void {
    const blob = this.#blobs.get(hash);
    if (blob !== undefined) {
      blob.runs++;
      return;
    }
    this.#blobs.set(hash, { text, runs: 1 });
    this.#hashes.set(text, hash);
    this.#unstored.delete(text);
  }

  #drop(hash: string): void {
    const blob = this.#blobs.get(hash);
    if (blob === undefined || --blob.runs > 0) return;
    this.#blobs.delete(hash);
    if (this.#hashes.get(blob.text) === hash) this.#forgetText(blob.text);
  }

  #forgetText(text: string): void {
    this.#hashes.delete(text);
    this.#unstored.delete(text);
  }
}

/** Versioned records: a map of tenants, of kinds, of ids. */
export class MemoryRecords {
  readonly #tenants = new Map<string, Map<string, Kind>>();

  get({ tenant, kind, id }: RecordKey): StoredRecord | null {
    return this.#tenants.get(tenant)?.get(kind)?.records.get(id) ?? null;
  }

  /** Keys of the records that have another version than expected. */
  conflicts(writes: readonly RecordWrite[]): RecordKey[] {
    return writes.filter((write) => (this.get(write)?.version ?? 0) !== write.expected).map(recordKeyOf);
  }

  write({ tenant, kind, id, expected, text }: RecordWrite): void {
    const kinds = entryOf(this.#tenants, tenant, () => new Map<string, Kind>());
    const records = entryOf(kinds, kind, () => new Kind());
    if (text !== null) records.set(id, { version: expected + 1, text });
    else records.delete(id);
    if (records.records.size === 0) kinds.delete(kind);
    if (kinds.size === 0) this.#tenants.delete(tenant);
  }

  page({ tenant, kind, prefix = "", limit, cursor }: RecordQuery): RecordPage {
    const found = this.#tenants.get(tenant)?.get(kind);
    const ids = found?.ids ?? [];
    // A cursor is the last id of its page.
    const start = Math.max(
      countWhile(ids, (id) => compareText(id, prefix) < 0),
      cursor === undefined ? 0 : countWhile(ids, (id) => compareText(id, cursor) <= 0),
    );
    // Reading one more record than requested shows whether there is a next page.
    const page = ids.slice(start, start + pageSize(limit) + 1).filter((id) => id.startsWith(prefix));
    const records = page.map((id) => ({ tenant, kind, id, ...(found?.records.get(id) as StoredRecord) }));
    return recordPageOf(records, limit);
  }
}

/** The records of one kind; their ids are sorted when a list needs it. */
class Kind {
  readonly records = new Map<string, StoredRecord>();
  #ids: string[] | null = null;

  get ids(): readonly string[] {
    this.#ids ??= [...this.records.keys()].sort(compareText);
    return this.#ids;
  }

  set(id: string, record: StoredRecord): void {
    if (!this.records.has(id)) this.#ids = null;
    this.records.set(id, record);
  }

  delete(id: string): void {
    if (this.records.delete(id)) this.#ids = null;
  }
}

/** Compares by code points, as UTF-8 sorts; `<` on texts compares UTF-16 units, where a surrogate comes before U+E000. */
function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

// ---- queues of runs that need an owner: each run is in one of them, or in none

export function enqueue(run: MemoryRun, queue: Timers<DueEntry>, dueAtMs: number): void {
  if (run.due?.queue === queue && run.due.dueAtMs === dueAtMs) return;
  dequeue(run);
  run.due = queue.add({ dueAtMs, order: run.number, position: 0, run, queue });
}

export function dequeue(run: MemoryRun): void {
  run.due?.queue.remove(run.due);
  run.due = null;
}

export function putBack(entries: readonly DueEntry[]): void {
  for (const { queue, run, dueAtMs } of entries) enqueue(run, queue, dueAtMs);
}

/** The first wanted run of a queue. */
export function firstOf(queue: Timers<DueEntry>, isWanted: (run: MemoryRun) => boolean): DueEntry | undefined {
  const passed: DueEntry[] = [];
  let first = queue.first();
  for (; first !== undefined && !isWanted(first.run); first = queue.first()) {
    dequeue(first.run);
    passed.push(first);
  }
  putBack(passed);
  return first;
}
