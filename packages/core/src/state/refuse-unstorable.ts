import { WorkflowError } from "../errors/workflow-error.js";
import { isForbiddenKey } from "../value/guard.js";
import { findUnstorable, MAX_DEPTH, type ValueType } from "../value/plain.js";

/**
 * Refuses what no snapshot could hold, wherever it is in a value that goes to `path`.
 *
 * @throws {WorkflowError} `STATE_UNSTORABLE` with the path.
 */
export function refuseUnstorable(
  value: unknown,
  path: readonly (string | number)[],
  types: readonly ValueType[],
): void {
  if (path.length < MAX_DEPTH && isSimple(value) && !isForbiddenKey(String(path.at(-1)))) return;
  // As it will lie in the state: depth counts from there, and the path comes out whole.
  let nested = value;
  for (let level = path.length - 1; level >= 0; level--) nested = { [path[level] as string | number]: nested };
  const found = findUnstorable(nested, types);
  if (found === null) return;
  throw new WorkflowError({
    code: "STATE_UNSTORABLE",
    message: `The state cannot hold what is at "${found.path}": ${found.what}.`,
    hint: "Store plain data, or register the class in `types`; clients and other live things are resources.",
    details: { path: found.path },
  });
}

function isSimple(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
