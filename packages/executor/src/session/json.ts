/** The JSON values of which a session state consists. */
import { WorkflowError } from "millrace";

export type Key = string | number;
export type Path = readonly Key[];
export type JsonObject = Record<string, unknown>;
export type Container = JsonObject | unknown[];

/** Keys that lead to a prototype instead of into the data. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const MAX_DEPTH = 200;

export function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

export function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** A field or item; `undefined` if there is none. */
export function fieldOf(value: unknown, key: Key): unknown {
  return isContainer(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

/** What is at a path; `undefined` where nothing is. */
export function fieldAt(value: unknown, path: Path): unknown {
  return path.reduce(fieldOf, value);
}

export function copyJson<Value>(value: Value): Value {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) copy[key] = copyJson(value[key]);
  return copy as Value;
}

export function sameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isContainer(left) || !isContainer(right)) return false;
  if (Array.isArray(left) || Array.isArray(right))
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index]))
    );
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** Keys of what is inside of the value at a path. @param key The path, as text. */
export function keysBelow(record: Readonly<Record<string, unknown>>, key: string): string[] {
  const inside = `${key.slice(0, -1)},`;
  return Object.keys(record).filter((other) => other.startsWith(inside));
}

/** JSON text with sorted keys: equal for equal values. */
export function sortedJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (!isContainer(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  const fields = Object.keys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`).join()}}`;
}

/**
 * Converts a value to plain JSON and keeps objects where possible.
 *
 * @param resolve Replaces an object: by itself, or by another one that is already plain.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path.
 */
export function toPlain(
  value: unknown,
  path: Path,
  resolve: (value: Container) => Container = (same) => same,
): unknown {
  if (path.length > MAX_DEPTH) throw unstorable(path, "nested too deeply");
  for (const key of path.slice(-1))
    if (forbidden.has(String(key))) throw unstorable(path, "a field that no state can have", renames);
  if (!isContainer(value)) return checkPrimitive(value, path);
  const plain = resolve(value);
  if (plain !== value) return plain;
  if (Array.isArray(value)) return plainArray(value, path, resolve);
  return plainObject(value, path, resolve);
}

/** Returns whether a session state can hold the value. */
export function isPlain(value: unknown): boolean {
  try {
    toPlain(value, []);
    return true;
  } catch (error) {
    if (WorkflowError.is(error, "VALUE_UNSERIALIZABLE")) return false;
    throw error;
  }
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` unless the value is an object of plain data. */
export function assertState(value: unknown): asserts value is JsonObject {
  if (!isObject(value)) throw unstorable([], "not an object");
  toPlain(value, []);
}

function plainArray(value: unknown[], path: Path, resolve: (value: Container) => Container): unknown[] {
  const items: unknown[] = [];
  for (let index = 0; index < value.length; index++) {
    if (!(index in value)) throw unstorable([...path, index], "a gap in a list");
    items.push(toPlain(value[index], [...path, index], resolve));
  }
  return !Object.isFrozen(value) && items.every((item, index) => item === value[index]) ? value : items;
}

function plainObject(value: JsonObject, path: Path, resolve: (value: Container) => Container): JsonObject {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw unstorable(path, `an instance of ${value.constructor?.name || "a class"}`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw unstorable(path, "an object with symbols");
  let isSame = !Object.isFrozen(value) && prototype !== null;
  const fields: JsonObject = {};
  for (const key of Object.keys(value)) {
    fields[key] = toPlain(value[key], [...path, key], resolve);
    if (fields[key] !== value[key]) isSame = false;
  }
  return isSame ? value : fields;
}

function checkPrimitive(value: unknown, path: Path): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw unstorable(path, String(value));
      return Object.is(value, -0) ? 0 : value;
    case "object":
      return value; // only `null` is left
    default:
      throw unstorable(path, `a ${typeof value}`);
  }
}

const storesData = "Store plain data: objects, lists, text, numbers, booleans and null.";
const renames = "Use another name for the field than `__proto__`, `constructor` or `prototype`.";

export function unstorable(path: Path, what: string, hint: string = storesData): WorkflowError {
  const shown = path.slice(0, 12).join(".") + (path.length > 12 ? "…" : "");
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `The session state cannot hold what is at "${shown}": ${what}.`,
    hint,
    details: { reason: "state", path: shown },
  });
}
