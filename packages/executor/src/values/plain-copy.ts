import { WorkflowError } from "millrace";
import { examine } from "millrace/engine";

const plainData = "Use plain data: it is stored with the run.";

/** Deeper nesting means a cycle, or a value that cannot be stored. */
const MAX_DEPTH = 500;

/** The same list for every value: the engine keeps what it makes of a list of types for as long as the list. */
const noTypes: readonly never[] = [];

/**
 * A value that keeps nothing of what it was made from: what is stored is frozen, what a caller has is not, and the objects of a live
 * session state are views, which keep changing. Plain objects and lists are copied, other values stay.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for what contains itself.
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((part) => plainCopy(part, depth + 1));
  if (typeof value !== "object" || value === null || !isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainCopy(part, depth + 1)]));
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function tooDeep(): WorkflowError {
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `A value contains itself, or is nested more than ${MAX_DEPTH} deep.`,
    hint: plainData,
  });
}

/**
 * A copy of what a user has given, as it can be stored with the run.
 *
 * @param subject Beginning of a sentence about it: ``The step "judge" returned``.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`, with `subject`. Another attempt would return the same.
 */
export function storableCopy<Value>(subject: string, value: Value): Value {
  const copy = plainCopy(value);
  const { fault } = examine(copy, noTypes);
  if (fault === null) return copy as Value;
  const at = fault.path === "" ? "" : ` at "${fault.path}"`;
  const error = new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${subject} ${fault.what}${at}, which cannot be stored.`,
    hint: plainData,
    details: { path: fault.path },
  });
  error.retryable = false;
  throw error;
}
