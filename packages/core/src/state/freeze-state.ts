import { isPlainObject } from "../value/plain.js";
import { isKnown } from "../value/plain-json-cache.js";

/**
 * Freezes a storable value all the way down, Map and Set included.
 *
 * Looks into what is frozen already: a caller may have frozen only the outside. The value has no cycles: checked before.
 */
export function freezeState<Value>(value: Value): Value {
  return typeof value !== "object" || value === null || isKnown(value) ? value : freezeParts(value);
}

function freezeParts<Value extends object>(value: Value): Value {
  if (value instanceof Map) {
    for (const [key, item] of value) {
      freezeState(key);
      freezeState(item);
    }
  } else if (Array.isArray(value) || value instanceof Set) {
    for (const item of value) if (typeof item === "object" && item !== null) freezeParts(item);
  } else if (isPlainObject(value)) {
    for (const item of Object.values(value)) if (typeof item === "object" && item !== null) freezeParts(item);
  } else {
    return value;
  }
  return freezeContainer(value);
}

/** One plain object, array, Map or Set, without its parts. */
export function freezeContainer<Container extends object>(container: Container): Container {
  if (Object.isFrozen(container)) return container;
  // The items of a Map or Set are in no property: its methods are all that can write them.
  if (container instanceof Map || container instanceof Set) Object.defineProperties(container, refusing);
  return Object.freeze(container);
}

const refusal: PropertyDescriptor = {
  value: () => {
    throw new TypeError("This part of the state is frozen: change it in `editState`.");
  },
};
const refusing: PropertyDescriptorMap = {
  set: refusal,
  add: refusal,
  delete: refusal,
  clear: refusal,
  getOrInsert: refusal,
  getOrInsertComputed: refusal,
};
