import type { RunKey, RunStore } from "../store/run-store.types.js";
import { runAccountKey, runAccounts } from "./account.js";

/** Deletes what is known of the spending of runs that are gone. A run that is still there keeps it. */
export async function deleteAccounts(store: RunStore, runs: readonly RunKey[]): Promise<void> {
  if (store.runsElsewhere === true) return;
  for (const tenant of new Set(runs.map((run) => run.tenant))) {
    const { records } = await store.records({ tenant, kind: runAccounts, limit: 1 });
    if (records.length === 0) continue;
    const gone = runs.filter((run) => run.tenant === tenant);
    await Promise.all(gone.map((run) => deleteAccount(store, run)));
  }
}

async function deleteAccount(store: RunStore, run: RunKey): Promise<void> {
  const key = runAccountKey(run);
  const record = await store.record(key);
  if (record === null || (await store.run(run)) !== null) return;
  await store.writeRecords([{ ...key, expected: record.version, text: null }]);
}
