/** Refuses options: all problems in one error, unknown names among them, because most of those are typing errors. */
import { WorkflowError } from "../errors/workflow-error.js";
import { optionProblems, type Rules } from "./option-rules.js";
import { unknownNames } from "./unknown-names.js";

export interface OptionChecks<Options> {
  readonly rules: Rules<Options>;
  /** Problems of several options together. @default none */
  readonly besides?: readonly string[];
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem of the options, and those besides. */
export function checkOptions<Options extends object>(
  what: string,
  given: Options,
  { rules, besides = [] }: OptionChecks<Options>,
): void {
  if (typeof given !== "object" || given === null) refuseOptions(what, ["they are not an object"]);
  refuseOptions(what, optionProblems(given, rules), besides);
}

/** @throws {WorkflowError} `OPTION_INVALID` for options that are not an object, and naming every unknown one. */
export function refuseUnknown(owner: string, given: unknown, names: readonly string[]): void {
  const isGiven = typeof given === "object" && given !== null;
  refuseOptions(optionsOf(owner), isGiven ? unknownNames(given, names) : ["they are not an object"]);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem; nothing without problems. */
export function refuseOptions(what: string, ...found: readonly (readonly string[])[]): void {
  const problems = found.flat();
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `${what}: ${problems.join("; ")}.`,
    hint: "Correct the options that are named, or leave them out.",
    details: { problems },
  });
}

/** The beginning of the message. @param owner A call or an object, such as "`run`". */
export function optionsOf(owner: string): string {
  return `The options of ${owner} are wrong`;
}
