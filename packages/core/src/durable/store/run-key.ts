import { wrongOption } from "../../value/option-value.js";
import { shown } from "../../value/shown.js";
import type { RunKey, RunStore, StoredRun } from "./run-store.types.js";
import { runUnknown } from "./runtime-errors.js";

/** One text for a run of one tenant. */
export function idOf({ tenant, runId }: RunKey): string {
  return `${tenant}\0${runId}`; // no name has that character in it
}

/** @throws {WorkflowError} `OPTION_INVALID` for names that are not text. */
export function keyOf(runId: string, tenant: string = ""): RunKey {
  for (const [option, text] of Object.entries({ runId, tenant }))
    if (typeof text !== "string") throw wrongOption(option, `is ${shown(text)}; it must be a string`, "Give a string.");
  return { tenant, runId };
}

/** The row of a run. @throws {WorkflowError} `RUN_UNKNOWN` */
export async function storedRun(store: Pick<RunStore, "run">, key: RunKey): Promise<StoredRun> {
  const run = await store.run(key);
  if (run === null) throw runUnknown(key);
  return run;
}
