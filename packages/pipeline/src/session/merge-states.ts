/**
 * What becomes of a session state when a run begins, and when runs of one session end beside each other.
 *
 * @module
 */
import { copyJson, isObject, type JsonObject, type Path, sameJson, toPlain } from "./json.js";
import { applyTo, diff, type SessionPatch } from "./patches.js";

export interface StartStates {
  /** What new sessions begin with. */
  readonly template: Readonly<JsonObject>;
  /** Null: there is no session yet. */
  readonly stored: Readonly<JsonObject> | null;
  /** What the run was given. Null: nothing. */
  readonly given: Readonly<JsonObject> | null;
  /** What the run was given comes in the place of what is stored, over the template. */
  readonly overwrite: boolean;
}

/**
 * The state that a run begins with. Shares nothing with what it is made of.
 *
 * @throws {WorkflowError} `STATE_UNSTORABLE` when the run was given what is no plain data.
 */
export function startState({ template, stored, given, overwrite }: StartStates): JsonObject {
  if (given === null) return copyJson(stored ?? template);
  toPlain(given, []);
  return deepMerge(overwrite ? template : (stored ?? template), given);
}

/** Objects are merged field by field; of everything else, lists too, the second replaces the first. */
export function deepMerge(first: Readonly<JsonObject>, second: Readonly<JsonObject>): JsonObject {
  const merged: JsonObject = copyJson(first);
  for (const key of Object.keys(second)) {
    if (key === "__proto__") continue;
    const [before, after] = [Object.hasOwn(merged, key) ? merged[key] : undefined, second[key]];
    merged[key] = isObject(before) && isObject(after) ? deepMerge(before, after) : copyJson(after);
  }
  return merged;
}

/** What a run has changed, field by field; a list that differs is a change of the whole list, unless it has only grown at its end. */
export function changesOf(base: Readonly<JsonObject>, mine: Readonly<JsonObject>): SessionPatch[] {
  return diff(base, mine, { lists: "whole" });
}

/**
 * The changes of one run on what is stored by now.
 *
 * Two runs that changed different fields lose nothing, nor do runs that add to the end of one list: the items of the later commit
 * come last. Of any other field the later commit wins: two runs that each count one up from 0 end with 1. (`editState` is exact within one run; across runs keep such values in a record of their own.) A change inside
 * what another run has deleted brings that back as the run knew it.
 *
 * @param base What the run began with.
 * @param theirs What is stored by now.
 */
export function mergeStates(
  base: Readonly<JsonObject>,
  theirs: Readonly<JsonObject>,
  patches: readonly SessionPatch[],
): JsonObject {
  const merged: JsonObject = copyJson(theirs);
  for (const patch of patches) {
    const lost = firstMissing(merged, patch.path.slice(0, -1));
    const known = lost === null ? undefined : valueAt(base, lost);
    if (lost !== null && known !== undefined) applyTo(merged, [{ op: "set", path: lost, value: known }]);
    applyTo(merged, [besideOthers(patch, base, merged)]);
  }
  return merged;
}

/** What was added to the end of a list is added to the end that it has by now. */
function besideOthers(patch: SessionPatch, base: Readonly<JsonObject>, merged: JsonObject): SessionPatch {
  if (patch.op !== "set" || !Array.isArray(patch.value)) return patch;
  const before = valueAt(base, patch.path) ?? [];
  const now = valueAt(merged, patch.path);
  if (
    !Array.isArray(before) ||
    !Array.isArray(now) ||
    !before.every((item, at) => sameJson(item, (patch.value as unknown[])[at]))
  )
    return patch;
  return { op: "splice", path: patch.path, at: now.length, remove: 0, items: patch.value.slice(before.length) };
}

/** The path up to where there is no object any more; null: all of it is there. */
function firstMissing(state: JsonObject, path: Path): Path | null {
  for (let length = 1; length <= path.length; length++)
    if (!isObject(valueAt(state, path.slice(0, length)))) return path.slice(0, length);
  return null;
}

function valueAt(state: Readonly<JsonObject>, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    state,
  );
}
