/** Refuses options: all problems in one error, unknown names among them, because most of those are typing errors. */
import { WorkflowError } from "../errors/workflow-error.js";
import { nearest } from "./nearest.js";

/** The words of a text: names of options in a list that every bundle has. */
export type Words<Text> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** One problem for every unknown option. @param prefix Stands before the names. */
export function unknownNames(given: object, names: readonly string[], prefix = ""): string[] {
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => `\`${prefix}${name}\` is not an option${didYouMean(name, names)}`);
}

/** Follows an unknown name; empty if none is near. */
export function didYouMean(name: unknown, names: readonly string[], mark: '"' | "`" = "`"): string {
  const near = nearest(name as string, names);
  return near === null ? "" : ` (did you mean ${mark}${near}${mark}?)`;
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
