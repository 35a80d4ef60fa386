import { isOwn, ownValue } from "./own-value.js";

/**
 * Freezes plain objects and arrays all the way down; other objects stay as they are.
 *
 * What is frozen already is not looked into: freezing the same data twice costs nothing.
 *
 * @returns the value, or a copy of it that holds plain copies of Proxies and of values of another realm.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (freezeParts(value, isOwn)) return value;
  const copy = ownValue(value);
  freezeParts(copy, () => true);
  return copy;
}

/** Returns `false` if something was not frozen, because it cannot be kept. */
function freezeParts(value: unknown, isKept: (part: object) => boolean): boolean {
  const open: object[] = [];
  let isAll = true;
  const freeze = (part: unknown): void => {
    if (typeof part !== "object" || part === null || Object.isFrozen(part)) return;
    const prototype: unknown = Object.getPrototypeOf(part);
    if (!isKept(part)) isAll = false;
    else if (prototype === Object.prototype || prototype === null || Array.isArray(part))
      open.push(Object.freeze(part));
  };
  freeze(value);
  for (let next = open.pop(); next; next = open.pop()) {
    if (Array.isArray(next)) for (const inner of next) freeze(inner);
    // No list of the values: events are frozen all the time.
    else for (const key in next) if (Object.hasOwn(next, key)) freeze(next[key as never]);
  }
  return isAll;
}
