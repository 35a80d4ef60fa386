/** Freezes values all the way down, by one walk: the fields of events, and states. */
import { isOwn, ownValue } from "./copy.js";
import { isObject, isPlainObject } from "./kind.js";
import { isKnown } from "./limits.js";

/**
 * Freezes plain objects and arrays; other objects stay as they are.
 *
 * What is frozen already is not looked into: freezing the same data twice costs nothing.
 *
 * @returns the value, or a copy of it that holds plain copies of Proxies and of values of another realm.
 */
export function deepFreeze<Value>(value: Value): Value {
  let isAll = true;
  freezeParts(value, (part) => {
    if (Object.isFrozen(part)) return false;
    if (isOwn(part)) return isPlain(part);
    isAll = false;
    return false;
  });
  if (isAll) return value;
  const copy = ownValue(value);
  freezeParts(copy, (part) => !Object.isFrozen(part) && isPlain(part));
  return copy;
}

/** Returns whether it is a plain object or array of this realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/**
 * Freezes a storable value, Map and Set included.
 *
 * Looks into what is frozen already: a caller may have frozen only the outside. The value has no cycles: checked before.
 */
export function freezeState<Value>(value: Value): Value {
  if (isObject(value)) freezeParts(value, isOpenInState);
  return value;
}

function isOpenInState(part: object): boolean {
  if (isKnown(part)) return false;
  return Array.isArray(part) || part instanceof Map || part instanceof Set || isPlainObject(part);
}

/** @param isFrozen Whether an object is frozen, and its parts in turn. */
function freezeParts(value: unknown, isFrozen: (part: object) => boolean): void {
  const open: object[] = [];
  const freeze = (part: unknown): void => {
    if (isObject(part) && isFrozen(part)) open.push(freezeContainer(part));
  };
  freeze(value);
  for (let next = open.pop(); next; next = open.pop()) {
    if (Array.isArray(next) || next instanceof Set) for (const inner of next) freeze(inner);
    else if (next instanceof Map) for (const entry of next) entry.forEach(freeze);
    // No list of the values: events are frozen all the time.
    else for (const key in next) if (Object.hasOwn(next, key)) freeze(next[key as never]);
  }
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
