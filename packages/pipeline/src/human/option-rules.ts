/** Rules for options that only pipelines have. */
import { oneOf, type Rule, refuseOptions, text, valueRule, wholeNumber } from "millrace/engine";

export const flagOrFunction: Rule = valueRule(
  (value) => typeof value === "boolean" || typeof value === "function",
  "true or false or a function",
);

/** The number of earlier runs is limited, because each is a read of the store. */
export const historyRuns: Rule = wholeNumber(0, 1_000);

export const someText: Rule = valueRule(
  (value) => typeof value === "string" && value !== "",
  "a text that is not empty",
);

/**
 * The id of a user, which an agent may put into the text that its model obeys: a line end in it could begin an instruction there.
 * Its source becomes JSON Schema, whose readers may lack character classes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
export const userIdPattern: RegExp = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/u;

export const userId: Rule = (value, option) => (typeof value === "string" ? printable : text)(value, option);

const printable: Rule = valueRule(
  (value) => userIdPattern.test(value as string),
  "a text without line ends and other control characters",
);

export const errorPolicy: Rule = oneOf("fail", "skip", "pause");

/** Keys that records of metrics, which are listed by name of the step, cannot have. */
const forbiddenNames: readonly unknown[] = ["__proto__", "constructor", "prototype"];

/** The name of a step or a group. */
export const stepName: Rule = (name) => {
  if (name === undefined) return [];
  if (typeof name !== "string" || name === "") return ["its `name` is not a string"];
  return forbiddenNames.includes(name) ? ["no step can have this name"] : [];
};

/** For messages. The name may be anything. */
export function nameIn({ name }: { readonly name?: unknown }): string {
  return typeof name === "string" && name !== "" ? name : "without a name";
}

/** @throws {WorkflowError} `OPTION_INVALID` when the options are not an object. */
export function assertOptions(what: string, options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    refuseOptions(`${what} cannot be made`, ["it has no options"]);
}
