import { WorkflowError } from "../errors/workflow-error.js";
import { unknownNames } from "./unknown-names.js";

/** @throws {WorkflowError} `OPTION_INVALID` for options that are not an object, and naming every unknown one. */
export function refuseUnknown(owner: string, given: unknown, names: readonly string[]): void {
  const problems =
    typeof given === "object" && given !== null ? unknownNames(given, names) : ["they are not an object"];
  if (problems.length > 0) throw optionsInvalid(owner, problems);
}

export function optionsInvalid(owner: string, problems: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `The options of ${owner} are wrong: ${problems.join("; ")}.`,
    hint: "Correct or remove what is named.",
    details: { problems },
  });
}
