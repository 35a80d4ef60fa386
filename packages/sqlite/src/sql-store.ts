import { countMeasures, histogramOf, listStoredRuns } from "millrace/engine";
import type { CommitResult, RunCommit, RunKey, RunStore } from "millrace/runtime";
import { readBlob, dropBlobs } from "./commit/blobs.js";
import { Claims } from "./commit/claims.js";
import { applyCommit } from "./commit/commit.js";
import type { Database } from "./connection/database.js";
import { readEvents, readSnapshot, readTicks } from "./tables/journal.js";
import { addMeasures, deleteMeasures, readMeasures } from "./tables/measures.js";
import { readLine } from "./tables/line.js";
import { countRuns, listReader, listTenants } from "./tables/list.js";
import { Owners } from "./tables/owners.js";
import { openPosts, readReceipt, readReceived, storePost } from "./tables/posts.js";
import { listRecords, readRecord, tryWriteRecords } from "./tables/records.js";
import type { Processes } from "./connection/machine.js";
import { findRun } from "./tables/stored-run.js";
import type { Watchers } from "./connection/watchers.js";

/** Differences between a file and a Durable Object. */
export interface SqlStoreSetup {
  readonly database: Database;
  readonly hash: (text: string) => string;
  readonly processes: Processes;
  readonly watchers: Watchers;
}

/** Every method does its work before its first `await`. Methods are async so that errors become rejections. */
export function createSqlStore({ database, hash, processes, watchers }: SqlStoreSetup): RunStore {
  const owners = new Owners(database, processes);
  const claims = new Claims(database, owners);
  const write = <Result>(work: () => Result): Result => {
    try {
      return database.write(work);
    } catch (error) {
      owners.forget();
      throw error;
    }
  };
  const runIds = new WeakMap<RunKey, number>();
  const apply = (commits: readonly RunCommit[]): CommitResult[] => {
    const group = { database, runIds, blobIds: new Map<string, number>() };
    return commits.map((commit) => {
      const lease = commit.create?.lease;
      if (lease) owners.register(lease.owner);
      return applyCommit(group, commit);
    });
  };
  write(() => owners.clean());
  return {
    ...readsOf(database),
    ...watchingOf(database, watchers),
    hash,
    commit: async (commits) => {
      const results = write(() => {
        const applied = apply(commits);
        addMeasures(database, countMeasures(commits, applied));
        return applied;
      });
      if (!watchers.isEmpty) watchers.notify(changedKeys(commits, results).map((key) => ({ key })));
      return results;
    },
    claim: async (key, lease) => write(() => claims.claim(key, lease)),
    claimDue: async (lease) => write(() => claims.claimDue(lease)),
    renew: async (lease) => write(() => claims.renew(lease)),
    nextWakeAtMs: async (of = {}) => database.read(() => claims.nextWakeAtMs(of)),
    line: async (query) => database.read(() => readLine(database, query)),
    post: async (key, message) => {
      const result = write(() => storePost(database, key, message));
      if (result.status === "stored") watchers.notify([{ key: { tenant: key.tenant, runId: key.runId }, news: "due" }]);
      return result;
    },
    writeRecords: async (writes) => write(() => tryWriteRecords(database, writes)),
    deleteStatistics: async (tenant, slot) => write(() => deleteMeasures(database, tenant, slot)),
    delete: async (keys, owner, endedBeforeMs) => {
      const gone = write(() => keys.filter((key) => removeRun(database, key, { owner, endedBeforeMs })));
      watchers.notify(gone.map(({ tenant, runId }) => ({ key: { tenant, runId }, news: "ended" })));
      return gone.length;
    },
  };
}

function readsOf(database: Database) {
  const lists = listReader(database);
  return {
    run: async (key) => database.guard(() => findRun(database, key)?.run ?? null),
    tenants: async () => database.read(() => listTenants(database)),
    list: async (query) => listStoredRuns(lists, query),
    counts: async (query) => countRuns(database, query),
    histogram: async (query) => histogramOf(lists, query, true),
    statistics: async (query) => database.guard(() => readMeasures(database, query)),
    snapshot: async (key, atOrBelow = Number.MAX_SAFE_INTEGER) =>
      database.guard(() => readSnapshot(database, key, atOrBelow)),
    ticks: async (key, range) => database.guard(() => readTicks(database, key, range)),
    events: async (key, range) => database.guard(() => readEvents(database, key, range)),
    posts: async (of) => database.guard(() => openPosts(database, of)),
    receipt: async (key, of) => database.guard(() => readReceipt(database, key, of)),
    received: async (key, range) => database.guard(() => readReceived(database, key, range)),
    record: async (key) => database.guard(() => readRecord(database, key)),
    records: async (query) => database.guard(() => listRecords(database, query)),
    blob: async (hash) => database.guard(() => readBlob(database, hash)),
  } satisfies Partial<RunStore>;
}

function watchingOf(database: Database, watchers: Watchers): Pick<RunStore, "watch" | "close"> {
  const stops = new Set<() => void>();
  return {
    watch(listener) {
      const remove = watchers.add(listener);
      const stop = (): void => {
        stops.delete(stop);
        remove();
      };
      stops.add(stop);
      return stop;
    },
    close: async () => {
      for (const stop of stops) stop();
      database.close();
    },
  };
}

/** Keys of the runs in the accepted commits, each once. */
function changedKeys(commits: readonly RunCommit[], results: readonly CommitResult[]): RunKey[] {
  const keys = new Map<string, RunKey>();
  commits.forEach(({ key: { tenant, runId } }, index) => {
    if (results[index]?.status === "stored") keys.set(JSON.stringify([tenant, runId]), { tenant, runId });
  });
  return [...keys.values()];
}

const find = `SELECT id FROM runs WHERE tenant = ? AND run_id = ? AND (owner IS NULL OR owner = ?)
  AND (? IS NULL OR ended_at < ?)`;
const removals: readonly string[] = [
  ...["labels", "input_values", "ticks", "events", "snapshots", "posts", "starts"].map(
    (table) => `DELETE FROM ${table} WHERE run = ?`,
  ),
  "DELETE FROM runs WHERE id = ?",
];

interface Removable {
  readonly owner: string | undefined;
  readonly endedBeforeMs: number | undefined;
}

/**
 * Deletes a run with everything that belongs to it. Needs a transaction. Returns `false` when the run does not exist,
 * another owner than `owner` holds its lease, or it has not ended before `endedBeforeMs`.
 */
function removeRun(database: Database, key: RunKey, { owner, endedBeforeMs }: Removable): boolean {
  const beforeMs = endedBeforeMs ?? null;
  const row = database.sql(find).get(key.tenant, key.runId, owner ?? null, beforeMs, beforeMs) as
    | { readonly id: number }
    | undefined;
  if (row === undefined) return false;
  dropBlobs(database, row.id);
  for (const removal of removals) database.sql(removal).run(row.id);
  return true;
}
