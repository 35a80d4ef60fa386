import type { RunKey, RunStore, StoredRun } from "./run-store.types.js";
import { runUnknown } from "./runtime-errors.js";

/** One text for a run of one tenant. */
export function idOf({ tenant, runId }: RunKey): string {
  return `${tenant}\0${runId}`; // no name has that character in it
}

/** The row of a run. @throws {WorkflowError} `RUN_UNKNOWN` */
export async function storedRun(store: Pick<RunStore, "run">, key: RunKey): Promise<StoredRun> {
  const run = await store.run(key);
  if (run === null) throw runUnknown(key);
  return run;
}
