/**
 * Which values can be stored: plain objects, arrays, Map, Set; text, numbers, booleans, null, undefined, bigint;
 * Date, URL, Error, typed arrays; and classes that the workflow registers.
 *
 * @module
 */
import { isForbiddenKey, isPlainObject } from "./guard.js";

/** A class whose instances may be stored. */
export interface ValueType {
  /** In snapshots. Never change it. */
  readonly name: string;
  is(value: unknown): boolean;
  /** As plain JSON. */
  encode(value: never): unknown;
  /** From what `encode` gave. The data may come from outside: check it. */
  decode(json: never): unknown;
}

export interface Unstorable {
  /** Dotted, from the value; empty for the value itself. */
  readonly path: string;
  /** "a function", "an instance of Order", … */
  readonly what: string;
}

export const MAX_DEPTH = 200;
const PATH_PARTS = 12;

interface Walk {
  readonly types: readonly ValueType[];
  /** Something was met that plain JSON cannot hold. */
  rich: boolean;
  /** Where the walk is: names of keys. */
  readonly path: string[];
  readonly ancestors: object[];
}

/** The first part of a value that cannot be stored, or null. */
export function findUnstorable(value: unknown, types: readonly ValueType[] = []): Unstorable | null {
  const found = examine(value, types);
  return typeof found === "object" ? found : null;
}

/** `"json"`: plain JSON holds it as it is; `"rich"`: it needs encoding; else what cannot be stored. */
export function examine(value: unknown, types: readonly ValueType[]): "json" | "rich" | Unstorable {
  const walk: Walk = { types, rich: false, path: [], ancestors: [] };
  const what = visit(value, walk);
  if (what === null) return walk.rich ? "rich" : "json";
  const cut = walk.path.length > PATH_PARTS;
  return { path: walk.path.slice(0, PATH_PARTS).join(".") + (cut ? "…" : ""), what };
}

/** What is wrong, with `walk.path` leading there; or null. */
function visit(value: unknown, walk: Walk): string | null {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      if (!Number.isFinite(value) || Object.is(value, -0)) walk.rich = true;
      return null;
    case "undefined":
    case "bigint":
      walk.rich = true;
      return null;
    case "object":
      return value === null ? null : visitObject(value, walk);
    default:
      return `a ${typeof value}`;
  }
}

function visitObject(value: object, walk: Walk): string | null {
  const { types, ancestors } = walk;
  if (types.length > 0 && types.some((type) => type.is(value))) {
    walk.rich = true;
    return null;
  }
  if (ancestors.length === MAX_DEPTH) {
    return new Set(ancestors).size < MAX_DEPTH
      ? "a value that contains itself"
      : `nested deeper than ${MAX_DEPTH} levels`;
  }
  ancestors.push(value);
  const what = Array.isArray(value)
    ? visitArray(value, walk)
    : isPlainObject(value)
      ? visitRecord(value, walk)
      : visitRich(value, walk);
  ancestors.pop();
  return what;
}

function visitArray(array: readonly unknown[], walk: Walk): string | null {
  for (let index = 0; index < array.length; index++) {
    const item = array[index];
    const what = item === undefined && !(index in array) ? "an array with holes" : visit(item, walk);
    if (what !== null) return at(String(index), what, walk);
  }
  return null;
}

function visitRecord(record: object, walk: Walk): string | null {
  for (const key of Object.keys(record)) {
    const what = isForbiddenKey(key) ? "a forbidden key" : visit((record as Record<string, unknown>)[key], walk);
    if (what !== null) return at(key, what, walk);
  }
  return null;
}

/** What JSON has no form for. */
function visitRich(value: object, walk: Walk): string | null {
  walk.rich = true;
  if (value instanceof Map) {
    for (const [key, item] of value) {
      const what = visit(key, walk) ?? visit(item, walk);
      if (what !== null) return at(typeof key === "object" ? "<key>" : String(key), what, walk);
    }
    return null;
  }
  if (value instanceof Set) return visitArray([...value], walk);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : null;
  if (value instanceof Error || value instanceof URL) return null;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return null;
  return `an instance of ${value.constructor?.name || "a class"}`;
}

/** The path is written while the walk unwinds: finding nothing costs nothing. */
function at(key: string, what: string, walk: Walk): string {
  walk.path.unshift(key);
  return what;
}
