import { WorkflowError } from "millrace";

/** What is nested deeper contains itself, or nobody can store it. */
const MAX_DEPTH = 500;

/**
 * A result that keeps nothing of the live session state: its objects are views, which go on changing and cannot be stored.
 * Plain objects and lists are copied, all else stays.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for what contains itself.
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((part) => plainCopy(part, depth + 1));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainCopy(part, depth + 1)]));
}

function tooDeep(): WorkflowError {
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `A step has given a value that contains itself, or is nested more than ${MAX_DEPTH} deep.`,
    hint: "Give plain data: it is stored with the run.",
  });
}
