import { changeOf, countStoredRuns, histogramOf, listStoredRuns } from "millrace/engine";
import type { RunKey, RunStore } from "millrace/runtime";
import { readBlob } from "./commit/blobs.js";
import { Claims, withOwners } from "./commit/claims.js";
import { ServerClock } from "./connection/clock.js";
import { Committer } from "./commit/committer.js";
import type { Database } from "./connection/database.js";
import { Interned } from "./tables/interned.js";
import { readEvents, readJournals, readSnapshot, readTicks } from "./tables/journal.js";
import { Measures, readMeasures } from "./commit/measures.js";
import { readLine } from "./tables/line.js";
import { listReader, listTenants } from "./tables/list.js";
import { openPosts, readReceipt, readReceived, storePost } from "./tables/posts.js";
import { Queues } from "./tables/queues.js";
import { listRecords, readRecord, tryWriteRecords } from "./tables/records.js";
import { findRun, type RunReader } from "./tables/stored-run.js";
import { walkIndexes } from "./connection/transaction.js";
import { bytes, hashOf, numbers, runHash } from "./text/values.js";
import type { Watchers } from "./connection/watchers.js";

const lockFree = `SELECT id, encode(key, 'hex') AS hash FROM @runs WHERE key = ANY($1::bytea[]) 
  AND (owner IS NULL OR owner = (SELECT id FROM @owners WHERE hash = $2))
  AND ($3::bigint IS NULL OR ended_at < $3) ORDER BY id FOR UPDATE`;
const remove = "SELECT @delete_runs($1::bigint[])";

export interface SqlStoreSetup {
  readonly database: Database;
  readonly watchers: Watchers;
}

/** Methods are async so that errors become rejections. */
export function createSqlStore({ database, watchers }: SqlStoreSetup): RunStore {
  const clock = new ServerClock(database);
  const reader: RunReader = { database, clock };
  const owners = new Interned(database, "owners");
  const queues = new Interned(database, "queues");
  const tenants = new Interned(database, "tenants");
  const measures = new Measures(database, tenants);
  const committer = new Committer({ ...reader, tenants, owners, queues, measures });
  const onTaken: Committer["remember"] = (id, run) => committer.remember(id, run);
  const claims = new Claims({ ...reader, owners, queues: new Queues(queues), onTaken });
  return {
    ...readsOf(reader),
    hash: (text) => hashOf(text).toString("hex"),
    commit: async (commits) => {
      const results = await withOwners(owners, () => committer.commit(commits));
      const stored = commits.filter((_, index) => results[index]?.status === "stored");
      watchers.changed(stored.map((one) => ({ key: one.key, news: changeOf(one) })));
      return results;
    },
    claim: async (key, lease) => claims.claim(key, await clock.measured(lease)),
    claimDue: async (lease) => claims.claimDue(await clock.measured(lease)),
    renew: async (lease) => claims.renew(await clock.measured(lease)),
    nextWakeAtMs: async (of = {}) => claims.nextWakeAtMs(of),
    line: async (query) => readLine(reader, query),
    post: async (key, message) => {
      const result = await storePost(reader, key, message);
      if (result.status === "stored") watchers.changed([{ key, news: "due" }], true);
      return result;
    },
    writeRecords: async (writes, options) => tryWriteRecords(database, writes, options),
    deleteStatistics: async (tenant, slot) => measures.delete(tenant, slot),
    delete: async (keys, owner, endedBeforeMs) => {
      const deleted = keys.length === 0 ? [] : await removeRuns(database, keys, { owner, endedBeforeMs });
      watchers.changed(deleted.map((key) => ({ key, news: "ended" })));
      return deleted.length;
    },
    watch: (listener) => watchers.add(listener),
    close: async () => {
      watchers.close();
      await database.close();
    },
  };
}

function readsOf(reader: RunReader) {
  const { database } = reader;
  const lists = listReader(reader);
  return {
    run: async (key) => findRun(reader, key),
    tenants: async () => listTenants(database),
    list: async (query) => listStoredRuns(lists, query),
    counts: async (query) => countStoredRuns(lists, query),
    histogram: async (query) => histogramOf(lists, query, false),
    statistics: async (query) => readMeasures(database, query),
    snapshot: async (key, atOrBelow = Number.MAX_SAFE_INTEGER) => readSnapshot(database, key, atOrBelow),
    ticks: async (key, range) => readTicks(database, key, range),
    journals: async (keys, maxLength) => readJournals(database, keys, maxLength),
    events: async (key, range) => readEvents(database, key, range),
    posts: async (of) => openPosts(reader, of),
    receipt: async (key, of) => readReceipt(reader, key, of),
    received: async (key, range) => readReceived(reader, key, range),
    record: async (key) => readRecord(database, key),
    records: async (query) => listRecords(database, query),
    blob: async (hash) => readBlob(database, hash),
  } satisfies Partial<RunStore>;
}

/** Returns the keys of the runs that were deleted. An owner that claims a run meanwhile keeps it, or comes too late. */
async function removeRuns(
  database: Database,
  keys: readonly RunKey[],
  { owner, endedBeforeMs }: { readonly owner: string | undefined; readonly endedBeforeMs: number | undefined },
): Promise<RunKey[]> {
  const byHash = new Map(keys.map((key) => [runHash(key).toString("hex"), key]));
  return database.write(async (transaction) => {
    transaction.send(walkIndexes, []);
    const wanted = bytes(keys.map(runHash));
    const values = [wanted, owner === undefined ? null : hashOf(owner), endedBeforeMs ?? null];
    const free = await transaction.all(lockFree, values);
    if (free.length > 0) transaction.send(remove, [numbers(free.map(({ id }) => id as number))]);
    return free.map(({ hash }) => byHash.get(hash as string) as RunKey);
  });
}
