import { WorkflowError } from "./workflow-error.js";

/** For what cannot happen. Wrong input of users has codes of its own. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw internalError(message);
}

/** The last branch of a switch that covers everything: adding a case elsewhere makes it fail to compile. */
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
