/**
 * Versions of the state of a workflow: what an older version of the class has stored, brought to what the class has now.
 *
 * Changes that a journal recorded fit the state as it was then. So a state is migrated as a whole, once it is rebuilt:
 * when a snapshot is loaded, or after a replay.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { freezeState } from "../state/freeze-state.js";
import { refuseUnstorable, root } from "../state/refuse-unstorable.js";
import { copyValue } from "../value/codec.js";
import { isVersion, runMigration } from "../value/version.js";
import type { CompiledWorkflow } from "./compile.js";

/** The version of the state that runs of this workflow have now. */
export function stateVersionOf(compiled: CompiledWorkflow): number {
  return compiled.stateVersion.version;
}

/**
 * The state that a workflow goes on with, frozen: migrated where `from` is older, then checked by the state schema, which
 * gives the defaults of fields that are missing.
 *
 * @param from The version that stored it. 1 where nothing was stored.
 * @throws {WorkflowError} `SNAPSHOT_NEWER`, `STATE_INVALID`, `STATE_UNSTORABLE`, `STATE_SCHEMA_CONVERTS`.
 */
export function migrateState(compiled: CompiledWorkflow, store: unknown, from: number): unknown {
  const state = toCurrent(compiled, store, from);
  return compiled.state === null ? state : freezeState(compiled.state.checkAll(state));
}

/** As {@link migrateState}, without the schema. */
export function toCurrent(compiled: CompiledWorkflow, store: unknown, from: number): unknown {
  const { name, values: types, stateVersion } = compiled;
  const { version } = stateVersion;
  if (from === version) return store;
  const details = { workflow: name, version: from, known: version };
  if (!isVersion(from) || from > version) {
    throw new WorkflowError({
      code: "SNAPSHOT_NEWER",
      message: `The state of "${name}" has version ${from}; the workflow here has version ${version}.`,
      hint: "Deploy the newer workflow here, or load it where it was written.",
      details,
    });
  }
  const migrated = runMigration(
    () => stateVersion.migrate(copyValue(store, types) as Record<string, unknown>, from),
    (why, cause) =>
      new WorkflowError({
        code: "STATE_INVALID",
        message: `\`migrate\` of "${name}" could not bring its state from version ${from} to ${version}: ${why}.`,
        hint: `Let it give an object with the fields of version ${version}.`,
        details,
        cause,
      }),
  );
  refuseUnstorable(migrated, root, types);
  return freezeState(migrated);
}
