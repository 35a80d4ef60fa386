import type { WorkflowError } from "../../errors/workflow-error.js";
import { formatValue } from "../../value/format-value.js";
import { wrongOption } from "../../value/options.js";
import type { RunKey, RunStore, StoredRun } from "./run-store.types.js";
import { runUnknown } from "./runtime-errors.js";

/** One text for a run of one tenant. @throws {WorkflowError} `OPTION_INVALID` for names that are no text. */
export function idOf({ tenant, runId }: RunKey): string {
  if (typeof runId !== "string") throw notText("runId", runId);
  if (typeof tenant !== "string") throw notText("tenant", tenant);
  return `${tenant}\0${runId}`; // no name has that character in it
}

/** The row of a run. @throws {WorkflowError} `RUN_UNKNOWN` */
export async function storedRun(store: Pick<RunStore, "run">, key: RunKey): Promise<StoredRun> {
  const run = await store.run(key);
  if (run === null) throw runUnknown(key);
  return run;
}

function notText(option: string, value: unknown): WorkflowError {
  return wrongOption(option, `is ${formatValue(value)}; it must be a string`, "Pass a string.");
}
