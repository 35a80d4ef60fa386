import { formatValue } from "../../value/kind.js";
import { wrongOption } from "../../value/options.js";
import { checkCallOptions } from "../options/call-options.js";
import { countMeasures } from "../statistics/counted.js";
import type {
  ClaimedRun,
  CommitResult,
  Lease,
  LeaseRequest,
  NewRunRecord,
  PostedMessage,
  PostResult,
  RunChange,
  RunCommit,
  RunKey,
  RunStore,
} from "../store/run-store.types.js";
import { changeOf, StoreListeners, shortestJournals } from "../store/store-kit.js";
import { MemoryLeases } from "./memory-leases.js";
import { countWhile, MemoryBlobs, MemoryRecords, MemoryRun } from "./memory-run.js";
import { MemoryRuns, MemoryStatistics } from "./memory-runs.js";

export interface MemoryStoreOptions {
  /**
   * Number of ended runs to keep: the oldest are deleted with everything that belongs to them. Live runs, and ended ones that are
   * held, do not count. Integer, at least 0; `Infinity` keeps all.
   * @default 1000
   */
  readonly maxEnded?: number;
}

/**
 * A `RunStore` in memory: runs are lost with the process. For tests, for development, and for apps without durability.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when `maxEnded` is not a whole number of at least 0.
 */
export function memoryStore(options: MemoryStoreOptions = {}): RunStore {
  checkCallOptions("memoryStore", options);
  const { maxEnded = 1_000 } = options;
  if ((Number.isInteger(maxEnded) && maxEnded >= 0) || maxEnded === Infinity) return storeOf(new Memory(maxEnded));
  const what = `is ${formatValue(maxEnded)}; it must be a whole number of at least 0, or Infinity`;
  throw wrongOption("maxEnded", what, "Pass the number of ended runs to keep.");
}

/** Every method finishes its work before it first yields: that makes it a transaction. */
function storeOf(memory: Memory): RunStore {
  const { runs, records, blobs, leases, listeners } = memory;
  return {
    ...readsOf(memory),
    isLocal: true,
    hash: (text) => blobs.hash(text),
    commit: async (commits) => {
      const changed = new Map<MemoryRun, RunChange>();
      const results = commits.map((commit) => memory.take(commit, changed));
      memory.statistics.add(countMeasures(commits, results));
      memory.notify(changed);
      return results;
    },
    claim: async (key, request) => {
      const run = runs.get(key);
      if (run === undefined || (run.isEnded && request.ended !== true)) return null;
      const { lease, queue, hasPlace } = run.row;
      const isOwn = lease?.owner === request.owner;
      if (lease !== null && !isOwn && lease.untilMs > request.nowMs) return null;
      if (queue !== null && !isOwn && request.ignoreQueueLimits !== true) return null;
      return memory.claim(run, request, isOwn && hasPlace);
    },
    claimDue: async (request) => {
      const due = leases.takeDue(request).map((run) => memory.claim(run, request, false));
      const placed = leases.takePlaces({ ...request, limit: request.limit - due.length });
      return [...due, ...placed.map((run) => memory.claim(run, request, true))];
    },
    renew: async ({ owner, untilMs }) => {
      const held = leases.heldBy(owner);
      for (const run of held) {
        leases.set(run, { owner, untilMs }, run.row.hasPlace);
        leases.update(run);
      }
      return held.map((run) => run.row.key);
    },
    post: async (key, message) => memory.post(key, message),
    writeRecords: async (writes) => {
      const conflicts = records.conflicts(writes);
      if (conflicts.length === 0) for (const write of writes) records.write(write);
      return conflicts;
    },
    delete: async (keys, owner, endedBeforeMs = Infinity) => {
      const isFree = ({ row: { lease } }: MemoryRun): boolean => lease === null || lease.owner === owner;
      const isOld = ({ row: { endedAtMs } }: MemoryRun): boolean =>
        endedBeforeMs === Infinity || (endedAtMs !== null && endedAtMs < endedBeforeMs);
      const gone = new Set(keys.flatMap((key) => runs.get(key) ?? []).filter((run) => isFree(run) && isOld(run)));
      for (const run of gone) memory.forget(run);
      memory.notify(new Map([...gone].map((run) => [run, "ended"])));
      return gone.size;
    },
    deleteStatistics: async (tenant, slot) => memory.statistics.delete(tenant, slot),
    watch: (listener) => listeners.add(listener),
    // A memory store has nothing to close but its watchers.
    close: async () => listeners.clear(),
  };
}

function readsOf({ runs, records, blobs, leases, statistics }: Memory) {
  return {
    nextWakeAtMs: async (of = {}) => leases.nextWakeAtMs(of),
    line: async (query) => leases.line(query),
    run: async (key) => runs.get(key)?.toStored() ?? null,
    tenants: async () => runs.tenants(),
    list: async (query) => runs.page(query),
    counts: async (query) => runs.counts(query),
    histogram: async (query) => runs.histogram(query),
    statistics: async (query) => statistics.rows(query),
    snapshot: async (key, atOrBelow = Infinity) => {
      const snapshots = runs.get(key)?.snapshots ?? [];
      return snapshots[countWhile(snapshots, (snapshot) => snapshot.tick <= atOrBelow) - 1] ?? null;
    },
    ticks: async (key, { after, limit }) => runs.get(key)?.ticksAfter(after).slice(0, limit) ?? [],
    journals: async (keys, maxLength) => {
      return shortestJournals(
        keys.flatMap((key) => runs.get(key)?.toJournal() ?? []),
        maxLength,
      );
    },
    events: async (key, { after, limit }) => {
      const events = runs.get(key)?.events ?? [];
      const start = countWhile(events, (event) => event.sequence <= after);
      return events.slice(start, start + limit);
    },
    posts: async (of) => ("owner" in of ? leases.postsOf(of.owner) : [...(runs.get(of)?.pending.values() ?? [])]),
    receipt: async (key, of) => {
      const run = runs.get(key);
      const position = typeof of === "number" ? of : run?.positions.get(of);
      return position === undefined ? null : (run?.receipts.get(position) ?? null);
    },
    received: async (key, { after, limit }) => runs.get(key)?.received(after).slice(0, limit) ?? [],
    record: async (key) => records.get(key),
    records: async (query) => records.page(query),
    blob: async (hash) => blobs.get(hash),
  } satisfies Partial<RunStore>;
}

/** The contents of a store, and what changes them. */
class Memory {
  readonly runs: MemoryRuns = new MemoryRuns();
  readonly records: MemoryRecords = new MemoryRecords();
  readonly blobs: MemoryBlobs = new MemoryBlobs();
  readonly leases: MemoryLeases = new MemoryLeases();
  readonly statistics: MemoryStatistics = new MemoryStatistics();
  readonly listeners: StoreListeners = new StoreListeners();
  /** Ended runs without an owner, in the order in which they became so. */
  readonly #ended = new Set<MemoryRun>();
  readonly #maxEnded: number;
  #lastRun = 0;
  #lastPosition = 0;

  constructor(maxEnded: number) {
    this.#maxEnded = maxEnded;
  }

  post(key: RunKey, message: PostedMessage): PostResult {
    const { idempotencyKey } = message;
    const run = this.runs.get(key);
    if (run === undefined) return { status: "unknown" };
    const earlier = idempotencyKey === null ? undefined : run.positions.get(idempotencyKey);
    if (earlier !== undefined)
      return { status: "duplicate", position: earlier, receipt: run.receipts.get(earlier) ?? null };
    if (run.isEnded && message.urgent !== true) return { status: "ended", run: run.toStored() };
    const position = this.#addPost(run, message);
    this.leases.update(run);
    this.notify(new Map([[run, "due"]]));
    return { status: "stored", position };
  }

  #addPost(run: MemoryRun, { idempotencyKey, atMs, text, urgent = false }: PostedMessage): number {
    const position = ++this.#lastPosition;
    run.pending.set(position, { key: run.row.key, position, idempotencyKey, atMs, text });
    if (urgent) run.urgent.add(position);
    if (idempotencyKey !== null) run.positions.set(idempotencyKey, position);
    return position;
  }

  take(commit: RunCommit, changed: Map<MemoryRun, RunChange>): CommitResult {
    const found = this.runs.get(commit.key);
    if (commit.create !== undefined) {
      if (found !== undefined) return { status: "exists", run: found.toStored() };
    } else if (!found?.isHeldBy(commit.owner, commit.epoch)) return { status: "fenced" };
    if (commit.ticks !== undefined && commit.ticks.first !== (found?.row.ticks ?? 0) + 1) return { status: "fenced" };
    const records = this.records.conflicts(commit.records ?? []);
    if (records.length > 0) return { status: "conflict", records };
    const run = found ?? this.#create(commit.key, commit.create as NonNullable<RunCommit["create"]>);
    this.#apply(run, commit);
    changed.set(run, changed.get(run) === "due" ? "due" : changeOf(commit));
    return { status: "stored" };
  }

  #create(key: RunKey, created: NewRunRecord & { readonly lease: Lease | null }): MemoryRun {
    const run = new MemoryRun(key, created, ++this.#lastRun);
    this.runs.add(run);
    if (created.lease !== null) {
      run.row.epoch = 1;
      this.leases.set(run, created.lease);
    }
    return run;
  }

  #apply(run: MemoryRun, commit: RunCommit): void {
    this.blobs.keep(run, commit);
    run.apply(commit);
    for (const { idempotencyKey, receipt } of commit.received ?? []) this.#receive(run, idempotencyKey, receipt);
    for (const post of commit.posts ?? []) this.#addPost(run, post);
    for (const write of commit.records ?? []) this.records.write(write);
    if (commit.prune !== undefined) this.blobs.prune(run, commit.prune);
    if (commit.release === true) this.leases.set(run, null);
    this.#settle(run);
  }

  #receive(run: MemoryRun, idempotencyKey: string, receipt: string): void {
    if (run.positions.has(idempotencyKey)) return;
    const position = ++this.#lastPosition;
    run.positions.set(idempotencyKey, position);
    run.receipts.set(position, receipt);
  }

  claim(run: MemoryRun, lease: LeaseRequest, hasPlace: boolean): ClaimedRun {
    run.row.epoch++;
    if (hasPlace && !run.hadPlace) this.leases.countStart(run, lease.nowMs);
    this.leases.set(run, lease, hasPlace);
    this.#settle(run);
    return run.toClaimed();
  }

  #settle(run: MemoryRun): void {
    this.leases.update(run);
    if (run.isEnded && run.row.lease === null) this.#retain(run);
    else this.#ended.delete(run);
  }

  #retain(run: MemoryRun): void {
    this.#ended.add(run);
    const [oldest] = this.#ended;
    if (this.#ended.size > this.#maxEnded && oldest !== undefined) this.forget(oldest);
  }

  forget(run: MemoryRun): void {
    this.leases.delete(run);
    this.#ended.delete(run);
    this.blobs.release(run);
    this.runs.remove(run);
  }

  notify(runs: ReadonlyMap<MemoryRun, RunChange>): void {
    this.listeners.notify(Array.from(runs, ([{ row }, news]) => ({ key: row.key, news })));
  }
}
