import { WorkflowError } from "millrace";
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
  StoredEvent,
  StoredPost,
  StoredRecord,
  StoredRun,
  StoredSnapshot,
  TickBatch,
} from "millrace/runtime";
import { hashOf, readBlob } from "./blobs.js";
import { Claims } from "./claims.js";
import { applyCommit } from "./commit.js";
import type { Database } from "./database.js";
import { resolveDriver, type SqliteDriver, type SqliteDriverName } from "./driver.js";
import { readEvents, readSnapshot, readTicks } from "./journal.js";
import { listRuns, listTenants } from "./list.js";
import { openDatabase } from "./open.js";
import { Owners } from "./owners.js";
import { openPosts, readReceipt, storePost } from "./posts.js";
import { listRecords, readRecord, tryWriteRecords } from "./records.js";
import { removeRun } from "./remove.js";
import { findRun } from "./stored-run.js";
import { Watchers } from "./watchers.js";

export interface SqliteStoreOptions {
  /**
   * What a commit survives once it is acknowledged. `"power"`: the loss of power, at one wait for the disk per group of
   * commits. `"process"`: the end of the process; the loss of power may take the last commits, but never damages the file.
   *
   * @default "power"
   */
  readonly durability?: "power" | "process";
  /** @default `"node:sqlite"` where Node has it, else `"better-sqlite3"` */
  readonly driver?: SqliteDriver | SqliteDriverName;
  /**
   * How long to wait for another process that writes, in milliseconds, before `STORE_BUSY`. The wait blocks this process.
   *
   * @default 5000
   */
  readonly busyTimeoutMs?: number;
  /** How often to look for commits of other processes while somebody watches, in milliseconds: 50 to 1000. @default 200 */
  readonly pollMs?: number;
}

/**
 * A {@link RunStore} in one SQLite file, which several processes of one machine may share.
 *
 * Opens the file at once, and makes it where it is not there; its directory must exist.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`, `STORE_CORRUPT`, `STORE_READ_ONLY`, `STORE_BUSY`, `STORE_FULL`, else
 *   `STORE_FAILED`, when the file cannot be used; `OPTION_INVALID`.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): RunStore {
  const { durability = "power", busyTimeoutMs = 5_000, pollMs = 200 } = options;
  if (durability !== "power" && durability !== "process") {
    throw invalid("durability", String(durability), '"power" or "process"');
  }
  checkInteger("busyTimeoutMs", busyTimeoutMs, [0, 600_000]);
  checkInteger("pollMs", pollMs, [50, 1_000]);
  const driver = resolveDriver(options.driver);
  return new SqliteStore(openDatabase(path, { driver, durability, busyTimeoutMs }), pollMs);
}

function checkInteger(option: string, value: number, [least, most]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalid(option, String(value), `a whole number from ${least} to ${most}`);
}

function invalid(option: string, value: string, expected: string): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`${option}\` is ${value}; it must be ${expected}.`,
    hint: "Correct the option, or leave it out.",
    details: { option },
  });
}

/** Every method does its work before it first yields. They are async so that what they throw is a rejection. */
class SqliteStore implements RunStore {
  readonly #database: Database;
  readonly #owners: Owners;
  readonly #claims: Claims;
  readonly #watchers: Watchers;

  constructor(database: Database, pollMs: number) {
    this.#database = database;
    this.#owners = new Owners(database);
    this.#claims = new Claims(database, this.#owners);
    this.#watchers = new Watchers(database, pollMs);
    this.#write(() => this.#owners.clean());
  }

  hash(text: string): string {
    return hashOf(text);
  }

  async commit(commits: readonly RunCommit[]): Promise<CommitResult[]> {
    const results = this.#write(() => commits.map((commit) => this.#apply(commit)));
    if (!this.#watchers.isEmpty) this.#watchers.tell(changedKeys(commits, results));
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

  async run(key: RunKey): Promise<StoredRun | null> {
    return this.#database.guard(() => findRun(this.#database, key)?.run ?? null);
  }

  async tenants(): Promise<string[]> {
    return this.#database.read(() => listTenants(this.#database));
  }

  async list(query: RunQuery): Promise<RunPage> {
    return this.#database.guard(() => listRuns(this.#database, query));
  }

  async snapshot(key: RunKey, atOrBelow = Number.MAX_SAFE_INTEGER): Promise<StoredSnapshot | null> {
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
    if (result.status === "stored") this.#watchers.tell([{ tenant: key.tenant, runId: key.runId }]);
    return result;
  }

  async posts(of: RunKey | { readonly owner: string }): Promise<StoredPost[]> {
    return this.#database.guard(() => openPosts(this.#database, of));
  }

  async receipt(key: RunKey, position: number): Promise<string | null> {
    return this.#database.guard(() => readReceipt(this.#database, key, position));
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
    return this.#watchers.add(listener);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
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

/** Of the commits that were taken: each key once. */
function changedKeys(commits: readonly RunCommit[], results: readonly CommitResult[]): RunKey[] {
  const keys = new Map<string, RunKey>();
  commits.forEach(({ key: { tenant, runId } }, index) => {
    if (results[index]?.status === "stored") keys.set(JSON.stringify([tenant, runId]), { tenant, runId });
  });
  return [...keys.values()];
}
