import { WorkflowError, type WorkflowErrorOptions } from "./workflow-error.js";

/** An option or an argument that a caller has to correct. @param hint One imperative sentence. */
export function invalidOption(
  message: string,
  hint: string,
  details: NonNullable<WorkflowErrorOptions["details"]> = {},
): WorkflowError {
  return new WorkflowError({ code: "OPTION_INVALID", message, hint, details });
}
