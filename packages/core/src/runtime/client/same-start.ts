import type { NewRunRecord, StoredRun } from "../store/run-store.types.js";
import { runIdConflict } from "../store/runtime-errors.js";
import { differingFields, sameStart } from "../text/start-text.js";

/** @throws {WorkflowError} `RUN_ID_CONFLICT` unless the existing run has the same workflow and input. */
export function assertSame(existing: StoredRun, wanted: NewRunRecord): void {
  const isSameWorkflow = existing.workflow === wanted.workflow;
  if (isSameWorkflow && sameStart(existing.input, wanted.input)) return;
  const differs = isSameWorkflow ? differingFields(existing.input, wanted.input) : [];
  throw runIdConflict(existing.key, existing.workflow, { asked: wanted.workflow, differs });
}
