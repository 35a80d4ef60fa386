import type { Due, Timers } from "../../host.js";
import type {
  ClaimedRun,
  NewRunRecord,
  RunCommit,
  RunKey,
  RunSummary,
  StoredEvent,
  StoredJournal,
  StoredPost,
  StoredReceipt,
  StoredRun,
  StoredSnapshot,
  StoredStatus,
  TickBatch,
} from "../store/run-store.types.js";
import { copiedIndex, isEndedStatus, newStoredRun } from "../store/store-kit.js";
import type { NeededBlobs } from "./memory-blobs.js";

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

  /** By position, in order: posts without a receipt, and the receipts of the others. */
  readonly pending: Map<number, StoredPost> = new Map();
  /** Positions of those in `pending` that are urgent. */
  readonly urgent: Set<number> = new Set();
  readonly receipts: Map<number, string> = new Map();
  readonly positions: Map<string, number> = new Map();

  readonly blobs: NeededBlobs = new Map();
  due: DueEntry | null = null;
  /** `true`: it has had a place of its queue, and no longer counts against the rate. */
  hadPlace = false;
  /** `true`: it stands in the line of its queue. */
  isInLine = false;
  /** Kind of the failure that ended it; `null` for none. */
  failure: string | null = null;
  /** Step at which it failed or timed out; `null` for none. */
  failedStep: string | null = null;
  /** `true`: it was deleted from the store. */
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

  /** As readers see it: a run that waited, and stands in line, waits again when it is taken. */
  get status(): StoredStatus {
    return this.isInLine ? "queued" : this.row.status;
  }

  isHeldBy(owner: string | null, epoch: number): boolean {
    return this.row.lease !== null && this.row.lease.owner === owner && this.row.epoch === epoch;
  }

  /** Since when it needs an owner in any state, in epoch milliseconds; `null` without an urgent post. */
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

  /** When it was to begin: what its queue sorts by. */
  get queuedAtMs(): number {
    return this.row.startAtMs;
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
