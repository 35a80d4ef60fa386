import { WorkflowError } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";

/** @throws {WorkflowError} `OPTION_INVALID`, naming every option that nobody reads. */
export function checkOptions<Options extends object>(call: string, given: Options, known: OptionNames<Options>): void {
  const problems = unknownOptions(given, known);
  if (problems.length === 0) return;
  throw invalid(`The options of \`${call}\` are wrong: ${problems.join("; ")}.`, "Correct or remove what is named.");
}

/** @throws {WorkflowError} `OPTION_INVALID` for options beside the functions of a world, where nobody reads them. */
export function checkWorld(call: string, world: object, options: object): void {
  const misplaced = Object.keys(world).filter((name) => Object.hasOwn(options, name));
  if (misplaced.length === 0) return;
  const names = misplaced.map((name) => `\`${name}\``).join(", ");
  throw invalid(`What \`${call}\` proves has options beside its functions: ${names}.`, "Give them with the options.");
}

function invalid(message: string, hint: string): WorkflowError {
  return new WorkflowError({ code: "OPTION_INVALID", message, hint });
}
