import type { StateChange } from "../engine/tick.js";
import type { ValueType } from "../value/plain.js";
import { applyPatches } from "./apply-change.js";
import { diffState } from "./diff-state.js";
import { freezeState } from "./freeze-state.js";
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
  if (!isRecord(wanted)) throw invalid([{ message: "the state is no plain object" }], "Give an object with the fields of the state.");
  let after: Readonly<Record<string, unknown>> = wanted;
  let patches = storableDiff(before, after, rules);
  if (rules.schema && patches?.length !== 0) {
    const touched = patches ? patches.map(({ path }) => String(path[0])) : Object.keys({ ...(before as object), ...after });
    const checked = rules.schema.check(after, [...new Set(touched)]) as typeof after;
    if (checked !== after) {
      after = checked;
      patches = storableDiff(before, after, rules);
    }
  }
  return patches ? { patches, next: applyPatches(before, patches) } : { whole: true, next: freezeState(after) };
}

function storableDiff(before: unknown, after: unknown, { types }: StateRules): ReturnType<typeof diffState> {
  const patches = diffState(before, after);
  for (const { path, value } of patches ?? [{ path: [], value: after }]) refuseUnstorable(value, path, types);
  return patches;
}
