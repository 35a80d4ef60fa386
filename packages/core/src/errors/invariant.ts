import { WorkflowError } from "./workflow-error.js";

/** Asserts what the code itself guarantees. Wrong input of users has its own codes. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition) return;
  throw new WorkflowError({
    code: "INTERNAL",
    message: `Cannot happen: ${message}.`,
    hint: "Report it with the steps that led here.",
  });
}
