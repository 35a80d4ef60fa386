import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { isForbiddenKey, isPlainObject } from "./guard.js";

/** Values may be 200 levels deep; children inside children need some more. */
const MAX_DEPTH = 2_000;

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
  /** What is in it twice is copied once; null while it is being copied. */
  const copies = new Map<object, unknown>();
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value !== "object")
      return refuse(`has a value that is no JSON: ${typeof value === "number" ? value : typeof value}`);
    if (depth > MAX_DEPTH) return refuse(`has more than ${MAX_DEPTH} levels`);
    const known = copies.get(value);
    if (known === null) return refuse("contains itself");
    if (known !== undefined) return known;
    copies.set(value, null);
    const made = Array.isArray(value) ? Array.from(value, (item) => copy(item, depth + 1)) : copyRecord(value, depth);
    copies.set(value, made);
    return made;
  };
  const copyRecord = (value: object, depth: number): unknown => {
    if (!isPlainObject(value)) refuse(`has a value that is no JSON: an instance of ${value.constructor?.name}`);
    const made: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (isForbiddenKey(name)) refuse(`has the forbidden key "${name}"`);
      made[name] = copy((value as Record<string, unknown>)[name], depth + 1);
    }
    return made;
  };
  try {
    return copy(data, 1);
  } catch (cause) {
    if (WorkflowError.is(cause)) throw cause;
    return refuse("cannot be read: one of its properties threw", cause);
  }
}
