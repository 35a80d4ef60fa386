/**
 * Rules for options: one table for each kind of object that users write. All problems are reported at once, an option
 * that nobody reads among them.
 *
 * @module
 */
import { type Duration, WorkflowError } from "millrace";
import { toMs, unknownOptions } from "millrace/engine";

/** Describes what is wrong with a value, one sentence for each problem. `undefined`: the option is absent. */
export type Rule = (value: unknown, option: string) => readonly string[];

/** A rule for every option of a type, so that none is forgotten. */
export type Rules<Options> = { readonly [Option in keyof Required<Options>]: Rule };

/** @param prefix Stands before the names of the options, when they are inside of another option. */
export function optionProblems(given: object, rules: object, prefix = ""): string[] {
  return Object.entries<Rule>(rules as Readonly<Record<string, Rule>>).flatMap(([option, rule]) => [
    ...rule(given[option as keyof object], `${prefix}${option}`),
  ]);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem of the options, and those besides. */
export function checkOptions<Options extends object>(
  what: string,
  given: Options,
  { rules, besides = [] }: { readonly rules: Rules<Options>; readonly besides?: readonly string[] },
): void {
  refuse(what, unknownOptions(given, rules as object), optionProblems(given, rules), besides);
}

// ---- rules

/** Checked where it is used, or not at all. */
export const anything: Rule = () => [];

/** `null` counts as absent. */
export const text: Rule = either((value) => typeof value === "string" || value === null, "a text");
export const flag: Rule = either((value) => typeof value === "boolean", "true or false");
export const callable: Rule = either((value) => typeof value === "function", "a function");
export const flagOrFunction: Rule = either(
  (value) => typeof value === "boolean" || typeof value === "function",
  "true or false or a function",
);
export const object: Rule = either((value) => typeof value === "object" && !Array.isArray(value), "an object");
export const duration: Rule = either(isDuration, 'a duration, as 500 or "30s"');
export const list: Rule = (value, option) =>
  value === undefined || Array.isArray(value) ? [] : [`\`${option}\` is not a list`];

export function oneOf(...words: readonly string[]): Rule {
  return either((value) => words.includes(value as string), `one of ${words.join(", ")}`);
}

export function wholeNumber(least: number, most: number = Number.POSITIVE_INFINITY): Rule {
  const range = `from ${least}${most === Number.POSITIVE_INFINITY ? "" : ` to ${most.toLocaleString("en")}`}`;
  return either(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `a whole number ${range}`,
  );
}

/** The number of earlier runs is limited, because each is a read of the store. */
export const historyRuns: Rule = wholeNumber(0, 1_000);

export const errorPolicy: Rule = oneOf("fail", "skip", "pause");

/** Keys that records of metrics, which are listed by name of the step, cannot have. */
const forbiddenNames: readonly unknown[] = ["__proto__", "constructor", "prototype"];

/** The name of a step or a group. */
export const stepName: Rule = (name) => {
  if (name === undefined) return [];
  if (typeof name !== "string" || name === "") return ["its `name` is not a string"];
  return forbiddenNames.includes(name) ? ["no step can have this name"] : [];
};

function either(isRight: (value: unknown) => boolean, expected: string): Rule {
  return (value, option) =>
    value === undefined || isRight(value) ? [] : [`\`${option}\` is ${shown(value)}, not ${expected}`];
}

function isDuration(value: unknown): boolean {
  try {
    toMs(value as Duration, "timeout");
    return true;
  } catch (error) {
    if (WorkflowError.is(error, "DURATION_INVALID")) return false;
    throw error;
  }
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}

/** @throws {WorkflowError} `OPTION_INVALID` when the options are not an object. */
export function assertOptions(what: string, options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    refuse(`${what} cannot be made`, ["it has no options"]);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem; nothing without problems. */
export function refuse(what: string, ...found: readonly (readonly string[])[]): void {
  const problems = found.flat();
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `${what}: ${problems.join("; ")}.`,
    hint: "Correct the options that are named, or leave them out.",
    details: { problems },
  });
}
