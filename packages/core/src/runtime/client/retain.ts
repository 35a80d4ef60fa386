/**
 * Deletes runs that have had their time, in batches with a turn of the host in between: timers, requests and the renewal of leases
 * do not wait until all of it is done.
 *
 * @module
 */

import { runLive } from "../../errors/workflow-error.js";
import type { Clock, DoneBy } from "../../host.js";
import { nextTurn } from "../../system/system.js";
import { toMs } from "../../value/duration.js";
import { integerIn } from "../../value/options.js";
import type { Retention } from "../api/runtime.types.js";
import { auditWrites } from "../audit/audit-entry.js";
import { deleteAccounts } from "../budget/account-book.js";
import { idOf, sealOwner, storedRun } from "../store/run-key.js";
import type { RecordWrite, RunKey, RunQuery, RunStore } from "../store/run-store.types.js";
import { allPages, isEndedStatus, storedStatuses } from "../store/store-kit.js";
import type { RunTable } from "../worker/claim/run-table.js";
import { statusesOf } from "./run-lists.js";

/** How many runs are listed at once. */
const PAGE = 200;
/** How many runs are deleted in the first batch, and at most in any. */
const FIRST_BATCH = 20;
const LARGEST_BATCH = 500;
/** How long a batch may hold the process. Runs share pages of a file, and each batch writes all that it changes. */
const BATCH_MS = 25;

const ended = storedStatuses.filter(isEndedStatus);

export interface RetainSetup {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly tenants: readonly string[];
}

/**
 * Returns how many were deleted.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 */
export async function retainRuns(setup: RetainSetup, retention: Retention): Promise<number> {
  const { limit = Number.POSITIVE_INFINITY, status = ended } = retention;
  const endedBeforeMs = setup.clock.now() - toMs(retention.olderThan, "olderThan");
  const hint = "Leave it out to delete all that is old enough.";
  if (limit !== Number.POSITIVE_INFINITY) integerIn(limit, "limit", { least: 1, hint });
  let deleted = 0;
  let size = FIRST_BATCH;
  const which = { status: statusesOf(status, ended), endedBeforeMs };
  for await (const page of pagesOf(setup, which)) {
    for (let position = 0; position < page.length; ) {
      const batch = page.slice(position, position + Math.min(size, limit - deleted));
      position += batch.length;
      const { count, blockedMs } = await deleteBatch(setup, batch, endedBeforeMs);
      deleted += count;
      const inTime = Math.round((batch.length * BATCH_MS) / Math.max(1, blockedMs));
      size = Math.min(Math.max(1, inTime), 2 * size, LARGEST_BATCH);
      if (deleted >= limit) return deleted;
      await new Promise<void>(nextTurn);
    }
  }
  return deleted;
}

type Ended = Pick<RunQuery, "status" | "endedBeforeMs">;

async function* pagesOf({ store, tenants }: RetainSetup, which: Ended): AsyncGenerator<RunKey[], void> {
  for (const tenant of tenants)
    for await (const { runs } of allPages((from) => store.list({ ...which, tenant, limit: PAGE, ...from })))
      yield runs.map(({ key }) => key);
}

/**
 * A store that waits for another machine does not block this one, however long it takes.
 *
 * A run that was retried or resumed since it was listed stays.
 */
async function deleteBatch(
  { store, clock }: RetainSetup,
  batch: readonly RunKey[],
  endedBeforeMs: number,
): Promise<{ readonly count: number; readonly blockedMs: number }> {
  let hasTurned = false;
  nextTurn(() => {
    hasTurned = true;
  });
  const startedAtMs = clock.now();
  const count = await store.delete(batch, undefined, endedBeforeMs);
  await deleteAccounts(store, batch);
  return { count, blockedMs: hasTurned ? 0 : clock.now() - startedAtMs };
}

// ---- deletes one run

/** Who deletes a run, and which one stays: with `endedBeforeMs`, a run that has not ended before. */
interface Deletion {
  readonly by: DoneBy | undefined;
  readonly endedBeforeMs?: number | undefined;
}

/**
 * Its entry in the audit is stored first, and deleted if the run stays: no run is gone without a trace.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_LIVE`
 */
export async function deleteRun(runTable: RunTable, key: RunKey, { by, endedBeforeMs }: Deletion): Promise<void> {
  const { store, watchers } = runTable;
  await runTable.evict(key);
  const entry = await auditDeletion(runTable, key, by);
  try {
    await remove(runTable, key, endedBeforeMs);
  } catch (error) {
    if (entry.length > 0) await store.writeRecords(entry.map((write) => ({ ...write, expected: 1, text: null })));
    throw error;
  }
  await deleteAccounts(store, [key]);
  // A store need not report this to callers that wait for the run.
  watchers.notify(idOf(key));
}

async function auditDeletion(runTable: RunTable, key: RunKey, by: DoneBy | undefined): Promise<RecordWrite[]> {
  if (by === undefined || !runTable.keepsAudit) return [];
  const { workflow } = await storedRun(runTable.store, key);
  const entry = auditWrites(key, { atMs: runTable.clock.now(), action: "delete", workflow, by });
  if (entry.length > 0) await runTable.store.writeRecords(entry);
  return entry;
}

async function remove({ store }: RunTable, key: RunKey, endedBeforeMs: number | undefined): Promise<void> {
  if ((await store.delete([key], undefined, endedBeforeMs)) === 1) return;
  const row = await storedRun(store, key);
  const owner = sealOwner(row);
  if (owner !== undefined && (await store.delete([key], owner, endedBeforeMs)) === 1) return;
  const isLater = endedBeforeMs !== undefined && (row.endedAtMs ?? endedBeforeMs) >= endedBeforeMs;
  const hint = isLater
    ? "It was retried or resumed after it was chosen: choose it again once it has ended."
    : "Cancel it first: `await runtime.handle(runId).cancel()`.";
  throw runLive({ ...key }, hint);
}
