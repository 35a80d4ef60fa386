import { WorkflowError } from "./workflow-error.js";

/** Asserts what the code itself guarantees. Wrong input of users has its own codes. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw internalError(message);
}

/** Last branch of an exhaustive switch: a new case makes the call fail to compile. */
export function assertNever(value: never): never {
  throw internalError(`unexpected ${JSON.stringify(value)}`);
}

function internalError(message: string): WorkflowError {
  return new WorkflowError({
    code: "INTERNAL",
    message: `Cannot happen: ${message}.`,
    hint: "Report it with the steps that led here.",
  });
}
