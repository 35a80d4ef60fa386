import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { isForbiddenKey, isPlainObject } from "./guard.js";

/** Values may be 200 levels deep, and runs inside of each other (see `RunLimits`) take two levels each. */
const MAX_DEPTH = 2_000;

/** Parsed JSON holds nothing twice. To remember each object takes as long as the rest: done only where there are more than this. */
const MANY = 1_000_000;

/**
 * A copy of data from outside, which has to be JSON. Whatever becomes of the given data, the copy stays what it was when it was checked.
 *
 * Values in it are measured where they are decoded.
 *
 * @param path Names the data, for the error.
 * @throws {WorkflowError} with `code`: it is no JSON, cannot be read, is too deep, contains itself, or has keys that reach prototypes.
 */
export function copyJson(data: unknown, path: string, code: ErrorCode): unknown {
  const refuse = (what: string, cause?: unknown): never => {
    throw new WorkflowError({
      code,
      message: `${path} ${what}.`,
      hint: "Pass only data that Millrace wrote, unchanged.",
      details: { path },
      ...(cause !== undefined && { cause }),
    });
  };
  /** What is in it twice is copied once; null while it is being copied. Null as a whole: not looked for yet. */
  let copies: Map<object, unknown> | null = null;
  let count = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (isLeaf(value)) return value;
    if (typeof value !== "object" || value === null)
      return refuse(`has a value that is no JSON: ${typeof value === "number" ? value : typeof value}`);
    if (copies === null) {
      if (depth > MAX_DEPTH || ++count > MANY) throw again;
      return copyParts(value, depth);
    }
    if (depth > MAX_DEPTH) return refuse(`has more than ${MAX_DEPTH} levels`);
    const known = copies.get(value);
    if (known === null) return refuse("contains itself");
    if (known !== undefined) return known;
    copies.set(value, null);
    const made = copyParts(value, depth);
    copies.set(value, made);
    return made;
  };
  // One function for lists and records: at 2,000 levels each more on the stack counts.
  const copyParts = (value: object, depth: number): unknown => {
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (let index = 0; index < value.length; index++) {
        const item = value[index];
        list.push(isLeaf(item) ? item : copy(item, depth + 1));
      }
      return list;
    }
    if (!isPlainObject(value)) refuse(`has a value that is no JSON: an instance of ${value.constructor?.name}`);
    const made: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (isForbiddenKey(name)) refuse(`has the forbidden key "${name}"`);
      const part = (value as Record<string, unknown>)[name];
      made[name] = isLeaf(part) ? part : copy(part, depth + 1);
    }
    return made;
  };
  const read = (): unknown => {
    try {
      return copy(data, 1);
    } catch (cause) {
      if (cause === again || WorkflowError.is(cause)) throw cause;
      return refuse("cannot be read: one of its properties threw", cause);
    }
  };
  try {
    return read();
  } catch (cause) {
    if (cause !== again) throw cause;
    copies = new Map();
    return read();
  }
}

function isLeaf(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    default:
      return value === null;
  }
}

/** Thrown where the copy has to begin anew, and to look for what is in it twice. */
const again: unique symbol = Symbol("again");
