import { wrongOption } from "../value/option-value.js";
import { checkCallOptions } from "./call-options.js";
import { MemoryBlobs } from "./memory-blobs.js";
import { MemoryLeases } from "./memory-leases.js";
import { MemoryRecords } from "./memory-records.js";
import { countWhile, MemoryRun } from "./memory-run.js";
import { MemoryRuns } from "./memory-runs.js";
import type {
  ClaimedRun,
  CommitResult,
  DueRuns,
  Lease,
  LeaseRequest,
  NewRunRecord,
  PostedMessage,
  PostResult,
  Range,
  RecordKey,
  RecordPage,
  RecordQuery,
  RecordWrite,
  RunCommit,
  RunKey,
  RunPage,
  RunQuery,
  RunStore,
  StoredDue,
  StoredEvent,
  StoredPost,
  StoredRecord,
  StoredRun,
  StoredSnapshot,
  TickBatch,
} from "./run-store.types.js";

export interface MemoryStoreOptions {
  /**
   * How many ended runs are kept: the oldest are forgotten with everything they own. Live runs, and ended ones that
   * somebody holds, do not count. 0 or more; `Infinity` keeps all. @default 1000
   */
  readonly maxEnded?: number;
}

/**
 * A {@link RunStore} in memory: durable for as long as the process lives. For tests, for development, and for apps whose runs
 * may go with the process.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when `maxEnded` is no whole number of at least 0.
 */
export function memoryStore(options: MemoryStoreOptions = {}): RunStore {
  checkCallOptions("memoryStore", options);
  const { maxEnded = 1_000 } = options;
  if ((Number.isInteger(maxEnded) && maxEnded >= 0) || maxEnded === Infinity) return new MemoryStore(maxEnded);
  const what = `is ${String(maxEnded)}; it must be a whole number of at least 0, or Infinity`;
  throw wrongOption("maxEnded", what, "Give the number of ended runs to keep.");
}

/** Every method does its work before it first yields: that is its transaction. */
class MemoryStore implements RunStore {
  readonly isLocal = true;
  readonly #maxEnded: number;
  readonly #runs = new MemoryRuns();
  readonly #records = new MemoryRecords();
  readonly #blobs = new MemoryBlobs();
  readonly #leases = new MemoryLeases();
  /** Ended and held by nobody, in the order in which they became so. */
  readonly #ended = new Set<MemoryRun>();
  readonly #listeners = new Set<{ readonly told: (key: RunKey) => void }>();
  #lastRun = 0;
  #lastPosition = 0;

  constructor(maxEnded: number) {
    this.#maxEnded = maxEnded;
  }

  hash(text: string): string {
    return this.#blobs.hash(text);
  }

  async commit(commits: readonly RunCommit[]): Promise<CommitResult[]> {
    const changed = new Set<MemoryRun>();
    const results = commits.map((commit) => this.#take(commit, changed));
    this.#tell(changed);
    return results;
  }

  async claim(key: RunKey, lease: LeaseRequest & { readonly ended?: boolean }): Promise<ClaimedRun | null> {
    const run = this.#runs.get(key);
    if (run === undefined || (run.isEnded && lease.ended !== true)) return null;
    const isFree =
      run.row.lease === null || run.row.lease.owner === lease.owner || run.row.lease.untilMs <= lease.nowMs;
    return isFree ? this.#claimRun(run, lease) : null;
  }

  async claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): Promise<ClaimedRun[]> {
    return this.#leases.takeDue(lease).map((run) => this.#claimRun(run, lease));
  }

  async renew({ owner, untilMs }: LeaseRequest): Promise<RunKey[]> {
    const runs = this.#leases.heldBy(owner);
    for (const run of runs) {
      this.#leases.set(run, { owner, untilMs });
      this.#leases.update(run);
    }
    return runs.map((run) => run.row.key);
  }

  async nextWakeAtMs(of: DueRuns = {}): Promise<number | null> {
    return this.#leases.nextWakeAtMs(of);
  }

  async due(of: DueRuns & { readonly nowMs: number; readonly limit: number }): Promise<StoredDue> {
    return this.#leases.due(of);
  }

  async run(key: RunKey): Promise<StoredRun | null> {
    return this.#runs.get(key)?.toStored() ?? null;
  }

  async tenants(): Promise<string[]> {
    return this.#runs.tenants();
  }

  async list(query: RunQuery): Promise<RunPage> {
    return this.#runs.page(query);
  }

  async snapshot(key: RunKey, atOrBelow = Infinity): Promise<StoredSnapshot | null> {
    const snapshots = this.#runs.get(key)?.snapshots ?? [];
    return snapshots[countWhile(snapshots, (snapshot) => snapshot.tick <= atOrBelow) - 1] ?? null;
  }

  async ticks(key: RunKey, { after, limit }: Range): Promise<TickBatch[]> {
    const batches = this.#runs.get(key)?.batches ?? [];
    const start = countWhile(batches, (batch) => batch.last <= after);
    return batches.slice(start, start + limit);
  }

  async events(key: RunKey, { after, limit }: Range): Promise<StoredEvent[]> {
    const events = this.#runs.get(key)?.events ?? [];
    const start = countWhile(events, (event) => event.sequence <= after);
    return events.slice(start, start + limit);
  }

  async post(key: RunKey, message: PostedMessage): Promise<PostResult> {
    const run = this.#runs.get(key);
    if (run === undefined) return { status: "unknown" };
    const { idempotencyKey, atMs, text } = message;
    const earlier = idempotencyKey === null ? undefined : run.positions.get(idempotencyKey);
    if (earlier !== undefined) {
      return { status: "duplicate", position: earlier, receipt: run.receipts.get(earlier) ?? null };
    }
    if (run.isEnded) return { status: "ended", run: run.toStored() };
    const position = ++this.#lastPosition;
    run.pending.set(position, { key: run.row.key, position, idempotencyKey, atMs, text });
    if (idempotencyKey !== null) run.positions.set(idempotencyKey, position);
    this.#leases.update(run);
    this.#tell([run]);
    return { status: "stored", position };
  }

  async posts(of: RunKey | { readonly owner: string }): Promise<StoredPost[]> {
    if (!("owner" in of)) return [...(this.#runs.get(of)?.pending.values() ?? [])];
    return this.#leases.postsOf(of.owner);
  }

  async receipt(key: RunKey, of: number | string): Promise<string | null> {
    const run = this.#runs.get(key);
    const position = typeof of === "number" ? of : run?.positions.get(of);
    return position === undefined ? null : (run?.receipts.get(position) ?? null);
  }

  async record(key: RecordKey): Promise<StoredRecord | null> {
    return this.#records.get(key);
  }

  async records(query: RecordQuery): Promise<RecordPage> {
    return this.#records.page(query);
  }

  async writeRecords(writes: readonly RecordWrite[]): Promise<readonly RecordKey[]> {
    const conflicts = this.#records.conflicts(writes);
    if (conflicts.length === 0) for (const write of writes) this.#records.write(write);
    return conflicts;
  }

  async blob(hash: string): Promise<string | null> {
    return this.#blobs.get(hash);
  }

  async delete(keys: readonly RunKey[]): Promise<number> {
    let count = 0;
    for (const key of keys) {
      const run = this.#runs.get(key);
      if (run === undefined || run.row.lease !== null) continue;
      this.#forget(run);
      count++;
    }
    return count;
  }

  watch(listener: (key: RunKey | null) => void): () => void {
    const entry = { told: listener }; // the same function may watch twice
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Only stops the watching: what was stored is there as long as the store. */
  async close(): Promise<void> {
    this.#listeners.clear();
  }

  #take(commit: RunCommit, changed: Set<MemoryRun>): CommitResult {
    const found = this.#runs.get(commit.key);
    if (commit.create !== undefined) {
      if (found !== undefined) return { status: "exists", run: found.toStored() };
    } else if (!found?.isHeldBy(commit.owner, commit.epoch)) return { status: "fenced" };
    if (commit.ticks !== undefined && commit.ticks.first !== (found?.row.ticks ?? 0) + 1) return { status: "fenced" };
    const records = this.#records.conflicts(commit.records ?? []);
    if (records.length > 0) return { status: "conflict", records };
    const run = found ?? this.#create(commit.key, commit.create as NonNullable<RunCommit["create"]>);
    this.#apply(run, commit);
    changed.add(run);
    return { status: "stored" };
  }

  #create(key: RunKey, created: NewRunRecord & { readonly lease: Lease | null }): MemoryRun {
    const run = new MemoryRun(key, created, ++this.#lastRun);
    this.#runs.add(run);
    if (created.lease !== null) {
      run.row.epoch = 1;
      this.#leases.set(run, created.lease);
    }
    return run;
  }

  #apply(run: MemoryRun, commit: RunCommit): void {
    this.#blobs.keep(run, commit);
    run.apply(commit);
    for (const { idempotencyKey, receipt } of commit.received ?? []) this.#receive(run, idempotencyKey, receipt);
    for (const write of commit.records ?? []) this.#records.write(write);
    if (commit.prune !== undefined) this.#blobs.prune(run, commit.prune);
    if (commit.release === true) this.#leases.set(run, null);
    this.#settle(run);
  }

  #receive(run: MemoryRun, idempotencyKey: string, receipt: string): void {
    if (run.positions.has(idempotencyKey)) return;
    const position = ++this.#lastPosition;
    run.positions.set(idempotencyKey, position);
    run.receipts.set(position, receipt);
  }

  #claimRun(run: MemoryRun, lease: Lease): ClaimedRun {
    run.row.epoch++;
    this.#leases.set(run, lease);
    this.#settle(run);
    return run.toClaimed();
  }

  #settle(run: MemoryRun): void {
    this.#leases.update(run);
    if (run.isEnded && run.row.lease === null) this.#retain(run);
    else this.#ended.delete(run);
  }

  #retain(run: MemoryRun): void {
    this.#ended.add(run);
    const [oldest] = this.#ended;
    if (this.#ended.size > this.#maxEnded && oldest !== undefined) this.#forget(oldest);
  }

  #forget(run: MemoryRun): void {
    this.#leases.delete(run);
    this.#ended.delete(run);
    this.#blobs.release(run);
    this.#runs.remove(run);
  }

  #tell(runs: Iterable<MemoryRun>): void {
    const keys = Array.from(runs, (run) => run.row.key);
    if (keys.length === 0) return;
    for (const entry of this.#listeners) {
      // One each: a listener that throws must not silence the others.
      queueMicrotask(() => {
        for (const key of keys) if (this.#listeners.has(entry)) entry.told(key);
      });
    }
  }
}
