/**
 * Dotted paths into the state: `"user.tags.0"`.
 *
 * They lead through plain objects and arrays. A key is always an own key: `"items"` or `"get"` never means a method.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { isForbiddenKey, isPlainObject } from "../value/guard.js";

const MAX_SEGMENTS = 1000;

type Container = Record<string, unknown> | unknown[];

/** The value at a path; `undefined` when there is none, or no way there. */
export function readPath(state: unknown, path: string): unknown {
  let value = state;
  for (const segment of parsePath(path)) {
    if (!isContainer(value) || !Object.hasOwn(value, segment)) return undefined;
    if (Array.isArray(value) && !isIndex(segment)) return undefined; // "length"
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/** The state with `value` at the path: copies along the path, everything else is shared. Missing objects are made. */
export function writePath(state: unknown, path: string, value: unknown): unknown {
  if (path === "") throw pathError(path, "is empty", "Name a field, or replace the whole state with `setState`.");
  const segments = parsePath(path);
  const root = copy(state as Container);
  let parent = root;
  for (const [position, segment] of segments.entries()) {
    const last = position === segments.length - 1;
    if (Array.isArray(parent) && !(isIndex(segment) && Number(segment) < parent.length)) {
      const at = segments.slice(0, position).join(".");
      throw pathError(path, `leads to "${segment}" of the array at "${at}", which has ${parent.length} items`,
        "Name an index that exists; to add an item, use `editState` with `push`.");
    }
    const inner = (parent as Record<string, unknown>)[segment];
    const owned = Object.hasOwn(parent, segment) ? inner : undefined;
    if (!last && owned !== undefined && owned !== null && !isContainer(owned)) {
      const at = segments.slice(0, position + 1).join(".");
      throw pathError(path, `leads through "${at}", which is ${nameOf(owned)}`, "Set that value first, to a plain object or an array.");
    }
    (parent as Record<string, unknown>)[segment] = last ? value : copy((owned ?? {}) as Container);
    parent = (parent as Record<string, unknown>)[segment] as Container;
  }
  return root;
}

function parsePath(path: string): string[] {
  if (typeof path !== "string") throw pathError(String(path), `is a ${typeof path}`, 'Write it as text: "user.name".');
  const segments = path.split(".");
  if (segments.length > MAX_SEGMENTS) {
    throw pathError(`${path.slice(0, 40)}…`, `has ${segments.length} segments; the limit is ${MAX_SEGMENTS}`, "Shorten it.");
  }
  const forbidden = segments.find(isForbiddenKey);
  if (forbidden !== undefined) throw pathError(path, `has the forbidden segment "${forbidden}"`, "Use another name.");
  return segments;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null && (Array.isArray(value) || isPlainObject(value));
}

function isIndex(segment: string): boolean {
  return /^(0|[1-9]\d*)$/.test(segment);
}

function copy(container: Container): Container {
  return Array.isArray(container) ? [...container] : { ...container };
}

function nameOf(value: unknown): string {
  return typeof value === "object" ? `a ${(value as object).constructor.name}` : `the ${typeof value} ${JSON.stringify(String(value).slice(0, 40))}`;
}

function pathError(path: string, what: string, hint: string): WorkflowError {
  return new WorkflowError({ code: "STATE_PATH", message: `The state path "${path}" ${what}.`, hint, details: { path } });
}
