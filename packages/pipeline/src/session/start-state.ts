/** What a run begins with in its session. */
import { assertState, copyJson, isObject, type JsonObject } from "./json.js";

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
  assertState(given);
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
