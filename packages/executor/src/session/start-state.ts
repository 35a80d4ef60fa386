/** Computes the initial state of a run. */
import { assertState, copyJson, isObject, type JsonObject } from "./json.js";

export interface StartStates {
  /** Initial state of new sessions. */
  readonly template: Readonly<JsonObject>;
  /** Stored state; `null` when the session does not exist yet. */
  readonly stored: Readonly<JsonObject> | null;
  /** State given to the run; `null` without one. */
  readonly given: Readonly<JsonObject> | null;
  /** `true`: the given state replaces the stored one, over the template. */
  readonly overwrite: boolean;
}

/**
 * Computes the initial state of a run. Shares nothing with its arguments.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when the given state is not plain data.
 */
export function startState({ template, stored, given, overwrite }: StartStates): JsonObject {
  if (given === null) return copyJson(stored ?? template);
  assertState(given);
  return deepMerge(overwrite ? template : (stored ?? template), given);
}

/** Merges objects field by field; any other value of `second`, lists included, replaces that of `first`. */
export function deepMerge(first: Readonly<JsonObject>, second: Readonly<JsonObject>): JsonObject {
  const merged: JsonObject = copyJson(first);
  for (const key of Object.keys(second)) {
    if (key === "__proto__") continue;
    const [before, after] = [Object.hasOwn(merged, key) ? merged[key] : undefined, second[key]];
    merged[key] = isObject(before) && isObject(after) ? deepMerge(before, after) : copyJson(after);
  }
  return merged;
}
