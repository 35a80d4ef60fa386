/**
 * The one equality of the engine: `where` of a wait, `by` of a join, and repeated calls of a later attempt.
 *
 * It is deep, by content: records (whatever the order of their keys), arrays, Map and Set (whatever the order), dates, URLs,
 * errors, typed arrays, events by type and fields, and class instances by their class and public fields. Primitives are equal
 * as `Object.is` says: NaN is NaN, 0 is not -0, 1 is not "1". A value that shows nothing of its content (functions, instances
 * without a public field, and values nested deeper than can be stored) equals itself only.
 *
 * @module
 */

import { isPlainObject } from "../value/kind.js";
import { valueLimits } from "../value/limits.js";
import { fieldsOf, isEvent } from "./event.js";

export function sameValue(left: unknown, right: unknown, depth = 0): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (depth >= valueLimits.depth) return false;
  if (isPlainObject(left) && isPlainObject(right)) return sameFields(left as never, right as never, depth);
  const isSameClass = Object.getPrototypeOf(left) === Object.getPrototypeOf(right);
  if (isSameClass && Array.isArray(left)) return sameItems(left, right as never, depth);
  // A restored error or event may have another class.
  return (isSameClass || left instanceof Error || isEvent(left)) && keyText(left, depth) === keyText(right, depth);
}

/** The same text for equal values, and another for every other one, also in another process. */
export function keyText(value: unknown, depth = 0): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null ? "null" : objectText(value, depth);
    case "function":
      return identityOf(value);
    default:
      return String(value);
  }
}

function objectText(value: object, depth: number): string {
  if (depth >= valueLimits.depth) return identityOf(value);
  const text = (inner: unknown): string => keyText(inner, depth + 1);
  const fields = (of: object): string =>
    `{${Object.entries(of)
      .map(([key, inner]) => `${JSON.stringify(key)}:${text(inner)}`)
      .sort()
      .join(",")}}`;
  if (isPlainObject(value)) return fields(value);
  if (value instanceof Error) return `Error${fields(errorFields(value))}`;
  if (isEvent(value)) return `Event${fields({ ...fieldsOf(value), type: value.type })}`;
  const name = classText(value);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
    return `${name}[${Array.from(value as ArrayLike<unknown>, text).join(",")}]`;
  if (value instanceof Map) return `${name}{${[...value].map((entry) => entry.map(text).join("=>")).sort()}}`;
  if (value instanceof Set) return `${name}{${[...value].map(text).sort()}}`;
  if (value instanceof Date) return `${name}(${value.getTime()})`;
  if (value instanceof URL) return `${name}(${JSON.stringify(value.href)})`;
  return Object.keys(value).length === 0 ? identityOf(value) : name + fields(value);
}

/** Empty for an array, whose brackets show it. */
function classText(value: object): string {
  const name: string = value.constructor?.name ?? "";
  return name === "Array" ? "" : name;
}

/**
 * Returns the fields that errors are compared by: the name instead of the class, which a restored error lacks, and no stack,
 * which depends on the place.
 */
function errorFields(error: Error): object {
  return {
    ...error,
    name: error.name,
    message: error.message,
    ...("cause" in error && { cause: error.cause }),
    ...("errors" in error && { errors: error.errors }),
  };
}

function sameItems(left: ArrayLike<unknown>, right: ArrayLike<unknown>, depth: number): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!sameValue(left[index], right[index], depth + 1)) return false;
  }
  return true;
}

function sameFields(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  depth: number,
): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameValue(left[key], right[key], depth + 1));
}

/** Compared by identity. Nothing of this can be stored, so the number never leaves the process. */
function identityOf(value: object): string {
  const known = identities.get(value) ?? ++lastIdentity;
  identities.set(value, known);
  return `#${known}`;
}
const identities = new WeakMap<object, number>();
let lastIdentity = 0;
