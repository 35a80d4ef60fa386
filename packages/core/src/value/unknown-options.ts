import { WorkflowError } from "../errors/workflow-error.js";
import { nearest } from "./nearest.js";

/** The words of a text: names of options in a list that every bundle has. */
export type Words<Text> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** One problem for every unknown option: most are typing errors. */
export function unknownNames(given: object, names: readonly string[]): string[] {
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearest(name, names);
      return `\`${name}\` is not an option${near === null ? "" : ` (did you mean \`${near}\`?)`}`;
    });
}

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
