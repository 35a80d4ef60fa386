/**
 * Prepares changes of a state: checks them against the schema and the limits.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { freezeContainer, freezeState } from "../value/freeze.js";
import { isForbiddenKey, isObject, isRecord } from "../value/kind.js";
import type { ValueType } from "../value/storable.js";
import { finishDraft } from "./finish-draft.js";
import { applyPatches, diffAt, diffState, type StateChange, type StatePatch } from "./patches.js";
import { findSlot, type Path } from "./path.js";
import {
  invalid,
  type PreparedChange,
  refuseUnstorable,
  root,
  type StatePlace,
  type StateSchema,
  unstorable,
  type Weight,
} from "./state-schema.js";

/** Rules that a state must pass. */
export interface StateRules {
  readonly schema: StateSchema | null;
  readonly types: readonly ValueType[];
}

/**
 * The change from one state to another.
 *
 * `next` is `before` with the patches applied, so a replay makes the same state, and unchanged parts are shared.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`, `STATE_INVALID` or `STATE_SCHEMA_CONVERTS`.
 */
export function prepareChange(before: unknown, wanted: unknown, rules: StateRules): PreparedChange {
  if (!isRecord(wanted))
    throw invalid([{ message: "the state is not a plain object" }], "Pass an object with the fields of the state.");
  return checkedChange(before, changeTo(before, wanted, rules), rules);
}

/** Works like {@link prepareChange}, for changes written into a draft of the state. Ends the draft. */
export function prepareEdit(before: unknown, draft: object, rules: StateRules): PreparedChange {
  const { patches, next, fresh } = finishDraft(draft);
  if (patches === null) return checkedChange(before, wholeOf(next, rules), rules);
  if (fresh === null) return checkedChange(before, patchedBy(before, patches, rules), rules);
  const added = measure(before, patches, rules);
  for (const { value } of patches) freezeState(value);
  for (const container of fresh) freezeContainer(container);
  return checkedChange(before, { patches, next, added }, rules);
}

/** Works like {@link prepareChange}, for known patches. */
export function preparePatches(before: unknown, patches: readonly StatePatch[], rules: StateRules): PreparedChange {
  return checkedChange(before, patchedBy(before, patches, rules), rules);
}

/** Works like {@link prepareChange}, for one value. @throws {WorkflowError} `OPTION_INVALID` */
export function prepareWrite(
  before: unknown,
  { path, value }: { path: Path; value: unknown },
  rules: StateRules,
): PreparedChange {
  const slot = findSlot(before, path, value);
  const patches = slot.exists
    ? diffAt(slot.path, slot.before, slot.after)
    : [{ op: "add" as const, path: slot.path, value: slot.after }];
  const change = patchedBy(before, patches, rules);
  try {
    return checkedChange(before, change, rules);
  } catch (error) {
    const mayMeanDot = typeof path === "string" && path.includes(".") && !slot.exists;
    throw mayMeanDot && WorkflowError.is(error, "STATE_INVALID") ? withDotHint(error, path) : error;
  }
}

/** An id with a dot leads to a record that is missing. */
function withDotHint({ code, message, hint, details, cause }: WorkflowError, path: string): WorkflowError {
  const [first, ...rest] = path.split(".");
  const example = JSON.stringify([first, rest.join(".")]);
  return new WorkflowError({
    code,
    message,
    hint: `${hint} A dot in a path begins a field: if a key has one, write the path as a list, such as ${example}.`,
    details,
    cause,
  });
}

function checkedChange(before: unknown, change: PreparedChange, rules: StateRules): PreparedChange {
  const { next } = change;
  if (!rules.schema || next === before) return change;
  const checked = rules.schema.check(next, touchedBy(change, before));
  return checked === next ? change : changeTo(before, checked, rules);
}

/** Names of top-level fields. */
function touchedBy(change: PreparedChange, before: unknown): readonly string[] {
  if (!("patches" in change)) return Object.keys({ ...(before as object), ...(change.next as object) });
  const fields = change.patches.map(({ path }) => String(path[0]));
  return fields.length === 1 ? fields : [...new Set(fields)]; // most edits write one place
}

function changeTo(before: unknown, after: unknown, rules: StateRules): PreparedChange {
  const { patches } = diffState(before, after);
  return patches ? patchedBy(before, patches, rules) : wholeOf(after, rules);
}

function wholeOf(after: unknown, { types }: StateRules): PreparedChange {
  const { items, characters, isRich } = refuseUnstorable(after, root, types);
  return { whole: true, next: freezeState(after), added: { items, characters, isRich } };
}

function patchedBy(before: unknown, patches: readonly StatePatch[], rules: StateRules): PreparedChange {
  const added = measure(before, patches, rules);
  return { patches, next: applyPatches(before, patches), added };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
function measure(before: unknown, patches: readonly StatePatch[], { types }: StateRules): Weight {
  let items = 0;
  let characters = 0;
  let isRich = false;
  for (const { op, path, value } of patches) {
    const size = refuseUnstorable(value, placeIn(before, path), types);
    items += size.items + 3; // an entry of a Map is a pair with its two parts
    characters += size.characters + String(path.at(-1)).length;
    isRich ||= size.isRich && op !== "remove";
  }
  return { items, characters, isRich };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` where the path ends in a name that no record may have. */
function placeIn(state: unknown, path: readonly (string | number)[]): StatePlace {
  let above = 0;
  let container = state;
  for (const [index, step] of path.entries()) {
    const isMap = container instanceof Map;
    above += isMap ? 2 : 1;
    if (!isMap && isForbiddenKey(String(step)))
      throw unstorable({ path: "", what: "a forbidden key" }, path.slice(0, index + 1));
    container = isMap ? (container as Map<unknown, unknown>).get(step) : (container as never)?.[step];
  }
  return { path, above };
}

/** True for the one value of a change: both are frozen. */
export function isWritten(given: StateChange, value: unknown): boolean {
  return isObject(value) && "patches" in given && given.patches.length === 1 && given.patches[0]?.value === value;
}
