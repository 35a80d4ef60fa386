/** The run that a fork begins with: that of a rebuilt run, after the edits. */

import type { CompiledWorkflow } from "../compile/compile.js";
import { startOver } from "../engine/reduce/finish.js";
import type { RunState } from "../engine/state.js";
import { type RestoredRun, toPresentCode } from "../run/snapshot-run.js";
import { createDraft } from "../state/draft.js";
import { prepareEdit } from "../state/prepare-change.js";
import { formatValue } from "../value/format-value.js";
import { freezeState } from "../value/freeze.js";
import { wrongOption } from "../value/options.js";
import type { ForkEdits } from "./fork.types.js";
import { replaceEvent } from "./fork-event.js";
import { overrideCall } from "./fork-override.js";
import type { RunTree } from "./run-tree.js";

/**
 * Takes the states of the tree: nothing else may use it afterwards.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `STATE_INVALID` for an invalid edit, `VALUE_UNSERIALIZABLE`, `EVENT_INVALID`, and what keeps the
 * run from continuing with the present code.
 */
export function forkedRun(tree: RunTree, runId: string, edits: ForkEdits): RestoredRun {
  const { edit, event, item, override } = edits;
  assertEdit(edit);
  if (event === undefined && item !== undefined)
    throw wrongOption("item", "is set without `event`", "Say with `event` what to replace.");
  const { compiled } = tree.root;
  const run = toPresentCode([...tree.members.values()]);
  const { state, children } = run;
  Object.assign(state, { runId });
  for (const one of [state, ...(children?.values() ?? [])]) startOver(one);
  if (edit !== undefined) editStore(state, edit, compiled);
  if (event !== undefined) replaceEvent(state, { event, item, compiled });
  if (override !== undefined) overrideCall(state, override);
  return run;
}

function assertEdit(edit: unknown): void {
  if (edit === undefined || typeof edit === "function") return;
  throw wrongOption(
    "edit",
    `is ${formatValue(edit)}; it must be a function`,
    "Pass a function that changes its argument.",
  );
}

function editStore(state: RunState, edit: NonNullable<ForkEdits["edit"]>, compiled: CompiledWorkflow): void {
  const { state: schema, values: types } = compiled;
  const draft = createDraft(state.store as object);
  edit(draft as Record<string, unknown>);
  const { next } = prepareEdit(state.store, draft, { schema, types });
  state.store = freezeState(schema?.checkAll(next) ?? next);
}
