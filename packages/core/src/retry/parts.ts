/**
 * Checks the parts of a retry policy when they are combined, and not when a step has failed, whose own error must be
 * seen.
 */
import type { WorkflowError } from "../errors/workflow-error.js";
import { wrongOption } from "../value/options.js";

const made = {
  matches: "a condition such as `retryIf.type(TypeError)`",
  delayMs: 'a wait such as `wait.fixed("1s")`',
  reached: "a stop such as `stop.afterAttempts(3)`",
};

/** @throws {WorkflowError} `OPTION_INVALID` for a part without this method. */
export function assertParts(name: string, method: keyof typeof made, parts: readonly unknown[]): void {
  for (const part of parts)
    if (typeof (part as Record<string, unknown> | null | undefined)?.[method] !== "function")
      throw partInvalid(name, part, made[method]);
}

export function partInvalid(name: string, given: unknown, wanted: string): WorkflowError {
  const what =
    given === undefined || given === null || given === "" ? (JSON.stringify(given) ?? "nothing") : typeof given;
  return wrongOption(name, `of a retry policy got ${what}`, `Pass ${wanted}.`);
}
