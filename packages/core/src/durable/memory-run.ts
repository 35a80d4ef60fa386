import type { BlobUse } from "./memory-blobs.js";
import type { DueEntry } from "./memory-due.js";
import type {
  ClaimedRun,
  EndedStatus,
  Lease,
  NewRunRecord,
  RunCommit,
  RunKey,
  StoredEvent,
  StoredPost,
  StoredRun,
  StoredSnapshot,
  StoredStatus,
  TickBatch,
} from "./run-store.types.js";

const endedStatuses: { readonly [Status in EndedStatus]: true } = {
  completed: true,
  failed: true,
  cancelled: true,
  timedOut: true,
};

/** One run of a {@link memoryStore} with everything that it owns. */
export class MemoryRun {
  readonly key: RunKey;
  /** Rises with every run of the store: the later of two that were created in the same millisecond is the newer. */
  readonly number: number;
  readonly #created: NewRunRecord;
  #status: StoredStatus;
  #updatedAtMs: number;
  #endedAtMs: number | null = null;
  #wakeAtMs: number | null;
  #outcome: string | null = null;
  #waiting: string | null = null;
  #ticks = 0;
  lease: Lease | null = null;
  epoch = 0;

  /** Sorted by tick, by sequence, by tick. */
  readonly batches: TickBatch[] = [];
  readonly events: StoredEvent[] = [];
  readonly snapshots: StoredSnapshot[] = [];

  /** By position, in order: those without a receipt, and the receipts of the others. */
  readonly pending: Map<number, StoredPost> = new Map();
  readonly receipts: Map<number, string> = new Map();
  readonly positions: Map<string, number> = new Map();

  readonly blobs: Map<string, BlobUse> = new Map();
  /** Where it stands in the queue of runs that want an owner, and whether it is gone from the store. */
  due: DueEntry<MemoryRun> | null = null;
  removed = false;

  constructor(key: RunKey, created: NewRunRecord, number: number) {
    this.key = { tenant: key.tenant, runId: key.runId };
    this.number = number;
    this.#created = {
      workflow: created.workflow,
      input: created.input,
      code: created.code,
      createdAtMs: created.createdAtMs,
      startAtMs: created.startAtMs,
      labels: { ...created.labels },
      forkedFrom: created.forkedFrom,
    };
    this.#status = created.startAtMs > created.createdAtMs ? "scheduled" : "running";
    this.#updatedAtMs = created.createdAtMs;
    this.#wakeAtMs = created.startAtMs;
  }

  get record(): NewRunRecord {
    return this.#created;
  }

  get status(): StoredStatus {
    return this.#status;
  }

  get wakeAtMs(): number | null {
    return this.#wakeAtMs;
  }

  get endedAtMs(): number | null {
    return this.#endedAtMs;
  }

  get isEnded(): boolean {
    return this.#endedAtMs !== null;
  }

  /** Number of the last stored tick. */
  get ticks(): number {
    return this.#ticks;
  }

  isHeldBy(owner: string | null, epoch: number): boolean {
    return this.lease !== null && this.lease.owner === owner && this.epoch === epoch;
  }

  /** Since when it has wanted an owner, or from when it will. Null: never, as things are. */
  get dueAtMs(): number | null {
    if (this.isEnded) return null;
    if (this.lease !== null) return this.lease.untilMs;
    const [post] = this.pending.values();
    if (post === undefined || this.status === "scheduled") return this.#wakeAtMs;
    return this.#wakeAtMs === null ? post.atMs : Math.min(post.atMs, this.#wakeAtMs);
  }

  /** Everything of a commit that was taken, but for what belongs to the store: lease, records and blobs. */
  apply(commit: RunCommit): void {
    if (commit.ticks !== undefined) this.#addTicks(commit.ticks);
    for (const event of commit.events ?? []) insert(this.events, event, sequenceOf);
    if (commit.snapshot !== undefined) insert(this.snapshots, commit.snapshot, tickOf);
    for (const { position, receipt } of commit.receipts ?? []) {
      if (this.pending.delete(position)) this.receipts.set(position, receipt);
    }
    if (commit.summary !== undefined) this.#summarize(commit.summary);
    if (commit.prune !== undefined) this.#prune(commit.prune);
  }

  #addTicks(batch: TickBatch): void {
    this.batches.push(batch);
    this.#ticks = batch.last;
    this.#updatedAtMs = Math.max(this.#updatedAtMs, batch.atMs);
  }

  #summarize(summary: NonNullable<RunCommit["summary"]>): void {
    this.#status = summary.status;
    this.#updatedAtMs = Math.max(this.#updatedAtMs, summary.atMs);
    this.#endedAtMs = Object.hasOwn(endedStatuses, summary.status) ? summary.atMs : null;
    this.#wakeAtMs = summary.wakeAtMs;
    this.#outcome = summary.outcome;
    this.#waiting = summary.waiting;
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

  /** The run as it is now: a copy, which does not change. */
  toStored(): StoredRun {
    return {
      ...this.#created,
      key: this.key,
      status: this.#status,
      updatedAtMs: this.#updatedAtMs,
      endedAtMs: this.#endedAtMs,
      wakeAtMs: this.#wakeAtMs,
      outcome: this.#outcome,
      waiting: this.#waiting,
      ticks: this.#ticks,
      lastEvent: this.events.at(-1)?.sequence ?? -1,
      lease: this.lease,
      epoch: this.epoch,
    };
  }

  toClaimed(): ClaimedRun {
    return { run: this.toStored(), posts: [...this.pending.values()] };
  }
}

const sequenceOf = (event: StoredEvent): number => event.sequence;
const tickOf = (snapshot: StoredSnapshot): number => snapshot.tick;

/** Of sorted items, how many from the first on fulfil a condition that turns false once. */
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

/** Keeps the order. One with the same number stays as it is. */
function insert<Item>(items: Item[], item: Item, numberOf: (item: Item) => number): void {
  const number = numberOf(item);
  const index = countWhile(items, (other) => numberOf(other) < number);
  const next = items[index];
  if (next === undefined || numberOf(next) !== number) items.splice(index, 0, item);
}
