import type { StateChange, StatePatch } from "../engine/tick.js";
import type { ValueType } from "../value/plain.js";
import { applyPatches } from "./apply-change.js";
import { diffAt, diffState } from "./diff-state.js";
import { freezeState } from "./freeze-state.js";
import { findSlot } from "./path.js";
import { refuseUnstorable } from "./refuse-unstorable.js";
import { invalid, isRecord, type StateSchema } from "./state-schema.js";

/** What a state has to pass. */
export interface StateRules {
  readonly schema: StateSchema | null;
  readonly types: readonly ValueType[];
}

/** A checked change, with the state after it. */
export type PreparedChange = StateChange & { readonly next: unknown };

/**
 * The change from one state to another.
 *
 * `next` is what the patches make of `before`, so a replay gives the same state, and what did not change is shared.
 *
 * @throws {WorkflowError} `STATE_UNSTORABLE`, `STATE_INVALID` or `STATE_SCHEMA_CONVERTS`.
 */
export function prepareChange(before: unknown, wanted: unknown, rules: StateRules): PreparedChange {
  if (!isRecord(wanted))
    throw invalid([{ message: "the state is no plain object" }], "Give an object with the fields of the state.");
  return checkedChange(before, changeTo(before, wanted, rules), rules);
}

/** As {@link prepareChange}, for one value. @throws {WorkflowError} `STATE_PATH` */
export function prepareWrite(
  before: unknown,
  { path, value }: { path: string; value: unknown },
  rules: StateRules,
): PreparedChange {
  const slot = findSlot(before, path, value);
  const patches = slot.exists
    ? diffAt(slot.path, slot.before, slot.after)
    : [{ op: "add" as const, path: slot.path, value: slot.after }];
  return checkedChange(before, patchedBy(before, patches, rules), rules);
}

function checkedChange(before: unknown, change: PreparedChange, rules: StateRules): PreparedChange {
  const { next } = change;
  if (!rules.schema || next === before) return change;
  const touched =
    "patches" in change
      ? change.patches.map(({ path }) => String(path[0]))
      : Object.keys({ ...(before as object), ...(next as object) });
  const checked = rules.schema.check(next, [...new Set(touched)]);
  return checked === next ? change : changeTo(before, checked, rules);
}

function changeTo(before: unknown, after: unknown, rules: StateRules): PreparedChange {
  const patches = diffState(before, after);
  if (patches) return patchedBy(before, patches, rules);
  refuseUnstorable(after, [], rules.types);
  return { whole: true, next: freezeState(after) };
}

function patchedBy(before: unknown, patches: readonly StatePatch[], { types }: StateRules): PreparedChange {
  for (const { path, value } of patches) refuseUnstorable(value, path, types);
  return { patches, next: applyPatches(before, patches) };
}
