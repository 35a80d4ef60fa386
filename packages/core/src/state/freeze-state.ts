import { freeze } from "immer";
import { isPlainObject } from "../value/guard.js";

/**
 * Freezes a storable value all the way down, Map and Set included.
 *
 * Looks into what is frozen already: a caller may have frozen only the outside. The value has no cycles: checked before.
 */
export function freezeState<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) {
    for (const [key, item] of value) freezeState([key, item]);
  } else if (Array.isArray(value) || value instanceof Set) {
    for (const item of value) freezeState(item);
  } else if (isPlainObject(value)) {
    for (const item of Object.values(value)) freezeState(item);
    return Object.freeze(value);
  } else {
    return value;
  }
  return freeze(value);
}
