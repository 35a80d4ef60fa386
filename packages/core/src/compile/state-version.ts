/**
 * Versions of a workflow's state: migrates what an older version of the class has stored.
 *
 * Recorded changes fit the state of their time. So the state is migrated as a whole, after it is rebuilt: when a
 * snapshot is loaded, or after a replay.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { refuseUnstorable, root } from "../state/state-schema.js";
import { copyValue } from "../value/copy.js";
import { freezeState } from "../value/freeze.js";
import { isVersion, runMigration } from "../value/version.js";
import type { CompiledWorkflow } from "./compile.js";

/** Present version of the state of this workflow's runs. */
export function stateVersionOf(compiled: CompiledWorkflow): number {
  return compiled.stateVersion.version;
}

/**
 * Migrates a state to the present version and checks it with the state schema, which adds defaults of missing fields.
 * Returns it frozen.
 *
 * @param from Version that has stored the state; 1 when nothing was stored.
 * @throws {WorkflowError} `SNAPSHOT_NEWER`, `STATE_INVALID`, `VALUE_UNSERIALIZABLE`, `STATE_SCHEMA_CONVERTS`.
 */
export function migrateState(compiled: CompiledWorkflow, store: unknown, from: number): unknown {
  const state = toCurrent(compiled, store, from);
  return compiled.state === null ? state : freezeState(compiled.state.checkAll(state));
}

/** Migrates like {@link migrateState}, without the schema. */
export function toCurrent(compiled: CompiledWorkflow, store: unknown, from: number): unknown {
  const { name, values: types, stateVersion } = compiled;
  const { version } = stateVersion;
  if (from === version) return store;
  const details = { workflow: name, version: from, known: version };
  if (!isVersion(from) || from > version) {
    throw new WorkflowError({
      code: "SNAPSHOT_NEWER",
      message: `The state of "${name}" has version ${from}; the workflow here has version ${version}.`,
      hint: "While a deployment is under way, use a process with the newer code; otherwise deploy it here.",
      details,
    });
  }
  const migrated = runMigration(
    () => stateVersion.migrate(copyValue(store, types) as Record<string, unknown>, from),
    (why, cause) =>
      new WorkflowError({
        code: "STATE_INVALID",
        message: `\`migrate\` of "${name}" could not migrate its state from version ${from} to ${version}: ${why}.`,
        hint: `Let it return an object with the fields of version ${version}.`,
        details,
        cause,
      }),
  );
  refuseUnstorable(migrated, root, types);
  return freezeState(migrated);
}
