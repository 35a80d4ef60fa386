import { createHash } from "node:crypto";
import type {
  ClaimedRun,
  ClaimRequest,
  CommitResult,
  CountQuery,
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
  RunCount,
  RunKey,
  RunPage,
  RunQuery,
  RunStore,
  RunNews,
  StoredDue,
  StoredEvent,
  StoredPost,
  StoredReceipt,
  StoredRecord,
  StoredRun,
  StoredSnapshot,
  TickBatch,
} from "millrace/runtime";
import { readBlob } from "./blobs.js";
import { Claims, withOwners } from "./claims.js";
import { ServerClock } from "./clock.js";
import { Committer } from "./committer.js";
import type { Database } from "./database.js";
import { Interned } from "./interned.js";
import { readEvents, readSnapshot, readTicks } from "./journal.js";
import { hashOf, runHash } from "./keys.js";
import { countRuns, listRuns, listTenants } from "./list.js";
import { changeOf } from "./notices.js";
import { openPosts, readReceipt, readReceived, storePost } from "./posts.js";
import { listRecords, readRecord, tryWriteRecords } from "./records.js";
import { Queues } from "./queues.js";
import { findRun, type RunReader } from "./stored-run.js";
import { walkIndexes } from "./transaction.js";
import { bytes, numbers } from "./values.js";
import type { Watchers } from "./watchers.js";

const lockFree = `SELECT id, encode(key, 'hex') AS hash FROM @runs WHERE key = ANY($1::bytea[]) 
  AND (owner IS NULL OR owner = (SELECT id FROM @owners WHERE hash = $2)) ORDER BY id FOR UPDATE`;
const remove = "SELECT @delete_runs($1::bigint[])";

export interface SqlStoreSetup {
  readonly database: Database;
  readonly watchers: Watchers;
}

export class SqlStore implements RunStore {
  readonly #database: Database;
  readonly #reader: RunReader;
  readonly #owners: Interned;
  readonly #committer: Committer;
  readonly #claims: Claims;
  readonly #watchers: Watchers;

  constructor({ database, watchers }: SqlStoreSetup) {
    this.#database = database;
    this.#watchers = watchers;
    this.#reader = { database, clock: new ServerClock(database) };
    this.#owners = new Interned(database, "owners");
    const tenants = new Interned(database, "tenants");
    const queues = new Interned(database, "queues");
    this.#committer = new Committer({ ...this.#reader, tenants, owners: this.#owners, queues });
    this.#claims = new Claims({
      ...this.#reader,
      owners: this.#owners,
      queues: new Queues(queues),
      onTaken: (id, run) => this.#committer.remember(id, run),
    });
  }

  hash(text: string): string {
    return createHash("sha256").update(text).digest("hex");
  }

  async commit(commits: readonly RunCommit[]): Promise<CommitResult[]> {
    const results = await withOwners(this.#owners, () => this.#committer.commit(commits));
    this.#watchers.changed(commits.filter((_, index) => results[index]?.status === "stored").map(changeOf));
    return results;
  }

  async claim(key: RunKey, lease: ClaimRequest): Promise<ClaimedRun | null> {
    return this.#claims.claim(key, lease);
  }

  async claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): Promise<ClaimedRun[]> {
    return this.#claims.claimDue(lease);
  }

  async renew(lease: LeaseRequest): Promise<RunKey[]> {
    return this.#claims.renew(lease);
  }

  async nextWakeAtMs(of: DueRuns = {}): Promise<number | null> {
    return this.#claims.nextWakeAtMs(of);
  }

  async due(of: DueRuns & { readonly nowMs: number; readonly limit: number }): Promise<StoredDue> {
    return this.#claims.due(of);
  }

  async run(key: RunKey): Promise<StoredRun | null> {
    return findRun(this.#reader, key);
  }

  async tenants(): Promise<string[]> {
    return listTenants(this.#database);
  }

  async list(query: RunQuery): Promise<RunPage> {
    return listRuns(this.#reader, query);
  }

  async counts(query: CountQuery): Promise<RunCount[]> {
    return countRuns(this.#reader, query);
  }

  async snapshot(key: RunKey, atOrBelow: number = Number.MAX_SAFE_INTEGER): Promise<StoredSnapshot | null> {
    return readSnapshot(this.#database, key, atOrBelow);
  }

  async ticks(key: RunKey, range: Range): Promise<TickBatch[]> {
    return readTicks(this.#database, key, range);
  }

  async events(key: RunKey, range: Range): Promise<StoredEvent[]> {
    return readEvents(this.#database, key, range);
  }

  async post(key: RunKey, message: PostedMessage): Promise<PostResult> {
    const result = await storePost(this.#reader, key, message);
    if (result.status === "stored") this.#watchers.changed([{ key, news: "due" }], true);
    return result;
  }

  async posts(of: RunKey | { readonly owner: string }): Promise<StoredPost[]> {
    return openPosts(this.#reader, of);
  }

  async receipt(key: RunKey, of: number | string): Promise<string | null> {
    return readReceipt(this.#reader, key, of);
  }

  async received(key: RunKey, range: Range): Promise<StoredReceipt[]> {
    return readReceived(this.#reader, key, range);
  }

  async record(key: RecordKey): Promise<StoredRecord | null> {
    return readRecord(this.#database, key);
  }

  async records(query: RecordQuery): Promise<RecordPage> {
    return listRecords(this.#database, query);
  }

  async writeRecords(writes: readonly RecordWrite[]): Promise<readonly RecordKey[]> {
    return tryWriteRecords(this.#database, writes);
  }

  async blob(hash: string): Promise<string | null> {
    return readBlob(this.#database, hash);
  }

  /** Somebody who claims a run meanwhile keeps it, or comes too late. */
  async delete(keys: readonly RunKey[], owner?: string): Promise<number> {
    if (keys.length === 0) return 0;
    const hashes = keys.map(runHash);
    const rows = await this.#database.write(async (transaction) => {
      transaction.send(walkIndexes, []);
      const free = await transaction.all(lockFree, [bytes(hashes), owner === undefined ? null : hashOf(owner)]);
      if (free.length > 0) transaction.send(remove, [numbers(free.map(({ id }) => id as number))]);
      return free;
    });
    const gone = new Set(rows.map(({ hash }) => hash));
    const deleted = keys.filter((_, index) => gone.has(hashes[index]?.toString("hex")));
    this.#watchers.changed(deleted.map((key) => ({ key, news: "ended" })));
    return rows.length;
  }

  watch(listener: (key: RunKey | null, news?: RunNews) => void): () => void {
    return this.#watchers.add(listener);
  }

  async close(): Promise<void> {
    this.#watchers.close();
    await this.#database.close();
  }
}
