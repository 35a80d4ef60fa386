import type {
  ClaimedRun,
  CommitResult,
  DueRuns,
  LeaseRequest,
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
} from "millrace/runtime";
import { readBlob, dropBlobs } from "./blobs.js";
import { Claims } from "./claims.js";
import { applyCommit } from "./commit.js";
import type { Database } from "./database.js";
import { readEvents, readSnapshot, readTicks } from "./journal.js";
import { listRuns, listTenants } from "./list.js";
import { Owners } from "./owners.js";
import { openPosts, readReceipt, storePost } from "./posts.js";
import { listRecords, readRecord, tryWriteRecords } from "./records.js";
import type { Processes } from "./processes.js";
import { findRun } from "./stored-run.js";
import type { Watchers } from "./watchers.js";

/** What differs between a file and a Durable Object. */
export interface SqlStoreSetup {
  readonly database: Database;
  readonly hash: (text: string) => string;
  readonly processes: Processes;
  readonly watchers: Watchers;
}

/** Every method does its work before its first `await`. Methods are async so that errors become rejections. */
export class SqlStore implements RunStore {
  readonly hash: (text: string) => string;
  readonly #database: Database;
  readonly #owners: Owners;
  readonly #claims: Claims;
  readonly #watchers: Watchers;
  readonly #stops = new Set<() => void>();

  constructor({ database, hash, processes, watchers }: SqlStoreSetup) {
    this.hash = hash;
    this.#database = database;
    this.#owners = new Owners(database, processes);
    this.#claims = new Claims(database, this.#owners);
    this.#watchers = watchers;
    this.#write(() => this.#owners.clean());
  }

  async commit(commits: readonly RunCommit[]): Promise<CommitResult[]> {
    const results = this.#write(() => commits.map((commit) => this.#apply(commit)));
    if (!this.#watchers.isEmpty) this.#watchers.notify(changedKeys(commits, results));
    return results;
  }

  async claim(key: RunKey, lease: LeaseRequest & { readonly ended?: boolean }): Promise<ClaimedRun | null> {
    return this.#write(() => this.#claims.claim(key, lease));
  }

  async claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): Promise<ClaimedRun[]> {
    return this.#write(() => this.#claims.claimDue(lease));
  }

  async renew(lease: LeaseRequest): Promise<RunKey[]> {
    return this.#write(() => this.#claims.renew(lease));
  }

  async nextWakeAtMs(of: DueRuns = {}): Promise<number | null> {
    return this.#database.read(() => this.#claims.nextWakeAtMs(of));
  }

  async due(of: DueRuns & { readonly nowMs: number; readonly limit: number }): Promise<StoredDue> {
    return this.#database.read(() => this.#claims.due(of));
  }

  async run(key: RunKey): Promise<StoredRun | null> {
    return this.#database.guard(() => findRun(this.#database, key)?.run ?? null);
  }

  async tenants(): Promise<string[]> {
    return this.#database.read(() => listTenants(this.#database));
  }

  async list(query: RunQuery): Promise<RunPage> {
    return this.#database.guard(() => listRuns(this.#database, query));
  }

  async snapshot(key: RunKey, atOrBelow: number = Number.MAX_SAFE_INTEGER): Promise<StoredSnapshot | null> {
    return this.#database.guard(() => readSnapshot(this.#database, key, atOrBelow));
  }

  async ticks(key: RunKey, range: Range): Promise<TickBatch[]> {
    return this.#database.guard(() => readTicks(this.#database, key, range));
  }

  async events(key: RunKey, range: Range): Promise<StoredEvent[]> {
    return this.#database.guard(() => readEvents(this.#database, key, range));
  }

  async post(key: RunKey, message: PostedMessage): Promise<PostResult> {
    const result = this.#write(() => storePost(this.#database, key, message));
    if (result.status === "stored") this.#watchers.notify([{ tenant: key.tenant, runId: key.runId }]);
    return result;
  }

  async posts(of: RunKey | { readonly owner: string }): Promise<StoredPost[]> {
    return this.#database.guard(() => openPosts(this.#database, of));
  }

  async receipt(key: RunKey, of: number | string): Promise<string | null> {
    return this.#database.guard(() => readReceipt(this.#database, key, of));
  }

  async record(key: RecordKey): Promise<StoredRecord | null> {
    return this.#database.guard(() => readRecord(this.#database, key));
  }

  async records(query: RecordQuery): Promise<RecordPage> {
    return this.#database.guard(() => listRecords(this.#database, query));
  }

  async writeRecords(writes: readonly RecordWrite[]): Promise<readonly RecordKey[]> {
    return this.#write(() => tryWriteRecords(this.#database, writes));
  }

  async blob(hash: string): Promise<string | null> {
    return this.#database.guard(() => readBlob(this.#database, hash));
  }

  async delete(keys: readonly RunKey[]): Promise<number> {
    return this.#write(() => keys.filter((key) => removeRun(this.#database, key))).length;
  }

  watch(listener: (key: RunKey | null) => void): () => void {
    const remove = this.#watchers.add(listener);
    const stop = (): void => {
      this.#stops.delete(stop);
      remove();
    };
    this.#stops.add(stop);
    return stop;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#database.close();
  }

  #apply(commit: RunCommit): CommitResult {
    const lease = commit.create?.lease;
    if (lease) this.#owners.register(lease.owner);
    return applyCommit(this.#database, commit);
  }

  #write<Result>(work: () => Result): Result {
    try {
      return this.#database.write(work);
    } catch (error) {
      this.#owners.forget();
      throw error;
    }
  }
}

/** Keys of the runs in the accepted commits, each once. */
function changedKeys(commits: readonly RunCommit[], results: readonly CommitResult[]): RunKey[] {
  const keys = new Map<string, RunKey>();
  commits.forEach(({ key: { tenant, runId } }, index) => {
    if (results[index]?.status === "stored") keys.set(JSON.stringify([tenant, runId]), { tenant, runId });
  });
  return [...keys.values()];
}

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

/**
 * Deletes a run with everything that belongs to it. Needs a transaction. Returns `false` when the run does not exist or
 * somebody holds its lease.
 */
function removeRun(database: Database, key: RunKey): boolean {
  const row = database.sql(find).get(key.tenant, key.runId) as { readonly id: number } | undefined;
  if (row === undefined) return false;
  dropBlobs(database, row.id);
  for (const removal of removals) database.sql(removal).run(row.id);
  return true;
}
