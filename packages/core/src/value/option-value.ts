import { WorkflowError } from "../errors/workflow-error.js";

/**
 * Returns the value.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, naming the option, unless the value is an integer of at least 1.
 */
export function positiveInteger(value: number, option: string): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`${option}\` is ${String(value)}; it must be an integer of at least 1.`,
    hint: "Give a whole number, 1 or more.",
    details: { option },
  });
}
