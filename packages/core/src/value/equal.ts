/**
 * The one equality of the engine: `where` of a wait, `by` of a join, and what a later attempt sets again.
 *
 * Deep, by content: records (whatever the order of their keys), arrays, Map and Set (whatever the order), dates, URLs, errors,
 * typed arrays, events by type and fields, and class instances by their class and public fields. Primitives are equal as `Object.is` says: NaN is NaN,
 * 0 is not -0, 1 is not "1". What shows nothing of its content (functions, instances without a public field, and what is
 * nested deeper than can be stored) equals itself only.
 *
 * @module
 */
import type { WorkflowEvent } from "../event/event.js";
import { fieldsOf, isEvent } from "../event/facts.js";
import { isPlainObject } from "./guard.js";
import { valueLimits } from "./limits.js";

export function sameValue(left: unknown, right: unknown, depth = 0): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  const kind = kindOf(left);
  if (kind !== kindOf(right) || depth >= valueLimits().depth) return false;
  switch (kind) {
    case "opaque":
      return false;
    case "array":
    case "bytes":
      return isSameClass(left, right) && sameItems(left as never, right as never, depth);
    case "map":
    case "set":
    case "date":
    case "url":
      return isSameClass(left, right) && keyText(left, depth) === keyText(right, depth);
    case "error":
      return sameFields(errorFields(left as Error), errorFields(right as Error), depth);
    case "event":
      return sameFields(eventFields(left), eventFields(right), depth);
    case "instance":
      return isSameClass(left, right) && sameFields(left, right, depth);
    case "record":
      return sameFields(left, right, depth);
  }
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
  const kind = kindOf(value);
  if (kind === "opaque" || depth >= valueLimits().depth) return identityOf(value);
  const text = (inner: unknown): string => keyText(inner, depth + 1);
  const fields = (of: object): string =>
    Object.entries(of)
      .map(([key, inner]) => `${JSON.stringify(key)}:${text(inner)}`)
      .sort()
      .join(",");
  switch (kind) {
    case "array":
    case "bytes":
      return `${classText(value, "Array")}[${Array.from(value as ArrayLike<unknown>, text).join(",")}]`;
    case "map":
      return `${classText(value)}{${[...(value as Map<unknown, unknown>)].map((entry) => entry.map(text).join("=>")).sort()}}`;
    case "set":
      return `${classText(value)}{${[...(value as Set<unknown>)].map(text).sort()}}`;
    case "date":
      return `${classText(value)}(${(value as Date).getTime()})`;
    case "url":
      return `${classText(value)}(${JSON.stringify((value as URL).href)})`;
    case "error":
      return `Error{${fields(errorFields(value as Error))}}`;
    case "event":
      return `Event{${fields(eventFields(value))}}`;
    case "instance":
      return `${classText(value)}{${fields(value)}}`;
    case "record":
      return `{${fields(value)}}`;
  }
}

type Kind = "array" | "bytes" | "map" | "set" | "date" | "url" | "error" | "record" | "event" | "instance" | "opaque";

function kindOf(value: object): Kind {
  if (Array.isArray(value)) return "array";
  if (isPlainObject(value)) return "record";
  if (value instanceof Map) return "map";
  if (value instanceof Set) return "set";
  if (value instanceof Date) return "date";
  if (value instanceof URL) return "url";
  if (value instanceof Error) return "error";
  if (ArrayBuffer.isView(value)) return value instanceof DataView ? "opaque" : "bytes";
  if (isEvent(value)) return "event";
  return Object.keys(value).length === 0 ? "opaque" : "instance";
}

function isSameClass(left: object, right: object): boolean {
  return Object.getPrototypeOf(left) === Object.getPrototypeOf(right);
}

/** Empty for the class that needs no name. */
function classText(value: object, usual = ""): string {
  const name: string = value.constructor?.name ?? "";
  return name === usual ? "" : name;
}

/** With the name instead of the class, which a restore does not know; without the stack, which depends on the place. */
function errorFields(error: Error): object {
  return { ...error, name: error.name, message: error.message, ...("cause" in error && { cause: error.cause }) };
}

function eventFields(event: object): object {
  return { ...fieldsOf(event as WorkflowEvent), type: (event as WorkflowEvent).type };
}

function sameItems(left: ArrayLike<unknown>, right: ArrayLike<unknown>, depth: number): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!sameValue(left[index], right[index], depth + 1)) return false;
  }
  return true;
}

function sameFields(left: object, right: object, depth: number): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(right, key) && sameValue(one[key], other[key], depth + 1));
}

/** Told apart by who they are. Nothing of this can be stored, so the number never leaves the process. */
function identityOf(value: object): string {
  const known = identities.get(value) ?? ++lastIdentity;
  identities.set(value, known);
  return `#${known}`;
}
const identities = new WeakMap<object, number>();
let lastIdentity = 0;
