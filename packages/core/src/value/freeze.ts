/**
 * Freezes plain objects and arrays all the way down; other objects stay as they are.
 *
 * What is frozen already is not looked into: freezing the same data twice costs nothing.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (!isFreezable(value)) return value;
  const open: object[] = [Object.freeze(value)];
  for (let next = open.pop(); next; next = open.pop()) {
    if (Array.isArray(next)) for (const inner of next) freezeInto(open, inner);
    else for (const key in next) freezeInto(open, next[key as never]);
  }
  return value;
}

function freezeInto(open: object[], inner: unknown): void {
  if (isFreezable(inner)) open.push(Object.freeze(inner));
}

function isFreezable(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
