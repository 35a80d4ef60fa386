import { WorkflowError } from "millrace";
import { examine } from "millrace/engine";
import { plainCopy } from "./plain-copy.js";

/**
 * A copy of what a user has given, as it can be stored with the run.
 *
 * @param subject How a sentence about it begins: ``The step "judge" gave``.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` in the words of whoever gave it. Another attempt would give the same.
 */
export function storableCopy<Value>(subject: string, value: Value): Value {
  const copy = plainCopy(value);
  const { fault } = examine(copy, []);
  if (fault === null) return copy as Value;
  const at = fault.path === "" ? "" : ` at "${fault.path}"`;
  const error = new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${subject} ${fault.what}${at}, which cannot be stored.`,
    hint: "Give plain data: it is stored with the run.",
    details: { path: fault.path },
  });
  error.retryable = false;
  throw error;
}
