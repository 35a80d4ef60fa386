/** Deletes one run. */

import { runLive } from "../../errors/run-errors.js";
import type { DoneBy } from "../../host.js";
import { auditWrites } from "../audit/audit-entry.js";
import { deleteAccounts } from "../budget/delete-accounts.js";
import { idOf, storedRun } from "../store/run-key.js";
import type { RecordWrite, RunKey } from "../store/run-store.types.js";
import { sealOwner } from "../store/sealed-run.js";
import type { RunTable } from "../worker/claim/run-table.js";

/**
 * Its entry in the audit is stored first, and deleted if the run stays: no run is gone without a trace.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_LIVE`
 */
export async function deleteRun(registry: RunTable, key: RunKey, by: DoneBy | undefined): Promise<void> {
  const { store, watchers } = registry;
  await registry.evict(key);
  const entry = await auditDeletion(registry, key, by);
  try {
    await remove(registry, key);
  } catch (error) {
    if (entry.length > 0) await store.writeRecords(entry.map((write) => ({ ...write, expected: 1, text: null })));
    throw error;
  }
  await deleteAccounts(store, [key]);
  // A store need not report this to callers that wait for the run.
  watchers.notify(idOf(key));
}

async function auditDeletion(registry: RunTable, key: RunKey, by: DoneBy | undefined): Promise<RecordWrite[]> {
  if (by === undefined || !registry.keepsAudit) return [];
  const { workflow } = await storedRun(registry.store, key);
  const entry = auditWrites(key, { atMs: registry.clock.now(), action: "delete", workflow, by });
  if (entry.length > 0) await registry.store.writeRecords(entry);
  return entry;
}

async function remove({ store }: RunTable, key: RunKey): Promise<void> {
  if ((await store.delete([key])) === 1) return;
  const owner = sealOwner(await storedRun(store, key));
  if (owner !== undefined && (await store.delete([key], owner)) === 1) return;
  throw runLive({ ...key }, "Cancel it first: `await runtime.handle(runId).cancel()`.");
}
