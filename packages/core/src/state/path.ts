/**
 * Paths into the state: `"user.tags.0"`, or the list of its keys, `["user", "tags", 0]`, in which a key may have dots.
 *
 * They lead through plain objects and arrays. A key is always an own key: `"items"` or `"get"` never means a method.
 *
 * @module
 */
import { invalidOption, type WorkflowError } from "../errors/workflow-error.js";
import { formatValue, isForbiddenKey, isRecord } from "../value/kind.js";

const MAX_SEGMENTS = 1000;

/** Dotted text, or a list of keys. */
export type Path = string | readonly (string | number)[];

type Container = Record<string, unknown> | unknown[];

/**
 * The value at a path; `undefined` if there is none.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the path leads through a value without fields.
 */
export function readPath(state: unknown, path: Path): unknown {
  let value = state;
  const segments = parsePath(path);
  for (const [position, segment] of segments.entries()) {
    if (value === undefined || value === null) return undefined;
    if (!isContainer(value)) {
      const hint = "Read that value, or check its type first.";
      throw pathError(path, through(segments.slice(0, position), value), hint);
    }
    if (!Object.hasOwn(value, segment)) return undefined;
    if (Array.isArray(value) && !isIndex(segment)) return undefined; // "length"
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/** Where a path leads for writing. */
export interface Slot {
  /** The part of the path that is there, and one key more if anything is missing. */
  readonly path: readonly (string | number)[];
  readonly exists: boolean;
  readonly before: unknown;
  /** Value to write there, wrapped in the objects that are missing on the way. */
  readonly after: unknown;
}

/** @throws {WorkflowError} `OPTION_INVALID` when nothing can be written there. */
export function findSlot(state: unknown, path: Path, value: unknown): Slot {
  if (path.length === 0) throw pathError(path, "is empty", "Name a field, or replace the whole state with `setState`.");
  const segments = parsePath(path);
  const steps: (string | number)[] = [];
  let parent = state as Container;
  for (let position = 0; ; position++) {
    const segment = segments[position] as string;
    if (Array.isArray(parent) && !(isIndex(segment) && Number(segment) < parent.length)) {
      throw pathError(
        path,
        `leads to "${segment}" of the array at "${steps.join(".")}", which has ${parent.length} items`,
        "Name an index that exists; to add an item, use `editState` with `push`.",
      );
    }
    steps.push(Array.isArray(parent) ? Number(segment) : segment);
    const exists = Object.hasOwn(parent, segment);
    const before = exists ? (parent as Record<string, unknown>)[segment] : undefined;
    if (position === segments.length - 1 || before === undefined || before === null) {
      const after = segments.slice(position + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return { path: steps, exists, before, after };
    }
    if (!isContainer(before)) {
      throw pathError(path, through(steps, before), "Set that value first, to a plain object or an array.");
    }
    parent = before;
  }
}

function parsePath(path: Path): string[] {
  const segments = typeof path === "string" ? path.split(".") : keysIn(path);
  if (segments.length > MAX_SEGMENTS) {
    throw pathError(
      `${segments.join(".").slice(0, 40)}…`,
      `has ${segments.length} segments; the limit is ${MAX_SEGMENTS}`,
      "Shorten it.",
    );
  }
  const forbidden = segments.find(isForbiddenKey);
  if (forbidden !== undefined) throw pathError(path, `has the forbidden segment "${forbidden}"`, "Use another name.");
  return segments;
}

function keysIn(path: readonly (string | number)[]): string[] {
  const isKey = (key: unknown): boolean => typeof key === "string" || Number.isInteger(key);
  if (Array.isArray(path) && path.every(isKey)) return path.map(String);
  const hint = 'Write it as text, "user.name", or as a list of keys, ["user", "name"].';
  throw pathError(formatValue(path), "is neither a text nor a list of keys", hint);
}

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || isRecord(value);
}

function isIndex(segment: string): boolean {
  return /^(0|[1-9]\d*)$/.test(segment);
}

function nameOf(value: unknown): string {
  return typeof value === "object"
    ? `an instance of ${(value as object).constructor.name}`
    : `the ${typeof value} ${formatValue(value).slice(0, 40)}`;
}

function through(way: readonly unknown[], value: unknown): string {
  return `leads through "${way.join(".")}", which is ${nameOf(value)}`;
}

function pathError(path: Path, what: string, hint: string): WorkflowError {
  return invalidOption(
    `The state path ${typeof path === "string" ? `"${path}"` : JSON.stringify(path)} ${what}.`,
    hint,
    { option: "path", reason: "path", path },
  );
}
