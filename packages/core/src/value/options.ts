/** Refuses options: all problems in one error, unknown names among them, because most of those are typing errors. */

import { invalidOption, type WorkflowError } from "../errors/workflow-error.js";
import { formatValue, hasFields, isDate, isObject } from "./kind.js";
import * as shape from "./shape.js";

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
  if (!isObject(given)) refuseOptions(what, ["they are not an object"]);
  refuseOptions(what, optionProblems(given, rules), besides);
}

/** @throws {WorkflowError} `OPTION_INVALID` for options that are not an object, and naming every unknown one. */
export function refuseUnknown(owner: string, given: unknown, names: readonly string[]): void {
  const isGiven = isObject(given);
  refuseOptions(optionsOf(owner), isGiven ? unknownNames(given, names) : ["they are not an object"]);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem; nothing without problems. */
export function refuseOptions(what: string, ...found: readonly (readonly string[])[]): void {
  const problems = found.flat();
  if (problems.length === 0) return;
  throw invalidOption(`${what}: ${problems.join("; ")}.`, "Correct the options that are named, or leave them out.", {
    problems,
  });
}

/** The beginning of the message. @param owner A call or an object, such as "`run`". */
export function optionsOf(owner: string): string {
  return `The options of ${owner} are wrong`;
}

// ---- the values of single options

/** @param what To be read after the name of the option: "is 0; it must be …". */
export function wrongOption(option: string, what: string, hint: string): WorkflowError {
  return invalidOption(`\`${option}\` ${what}.`, hint, { option });
}

/** @throws {WorkflowError} `OPTION_INVALID` unless the value is right. @param what As in "a list". */
export function assertOption(isRight: unknown, option: string, what: string): asserts isRight {
  if (!isRight) throw wrongOption(option, `is not ${what}`, `Pass ${what}.`);
}

/** @throws {WorkflowError} `OPTION_INVALID` unless it is a function. */
export function assertFunction(value: unknown, option: string): void {
  assertOption(typeof value === "function", option, "a function");
}

/** @throws {WorkflowError} `OPTION_INVALID` unless it is a signal or left out. */
export function assertSignal(signal: AbortSignal | null | undefined): void {
  assertOption(!signal || signal.addEventListener, "signal", "an `AbortSignal`");
}

interface Range {
  readonly least: number;
  /** @default any */
  readonly most?: number;
  /** What to do instead. @default to pass a number in the range */
  readonly hint?: string;
}

/** Returns the value. @throws {WorkflowError} `OPTION_INVALID` unless it is a whole number in the range. */
export function integerIn(value: number, option: string, { least, most, hint }: Range): number {
  if (isIntegerIn(value, least, most)) return value;
  const expected = rangeText(least, most);
  throw wrongOption(option, `is ${formatValue(value)}; it must be ${expected}`, hint ?? `Pass ${expected}.`);
}

function isIntegerIn(value: unknown, least: number, most = Number.POSITIVE_INFINITY): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Made for errors only: the first number of a process that is written so takes 20 ms. */
function rangeText(least: number, most?: number): string {
  return `a whole number from ${least}${most === undefined ? "" : ` to ${most.toLocaleString("en")}`}`;
}

/** Returns the value. @throws {WorkflowError} `OPTION_INVALID` unless it is a whole number from 1. */
export function positiveInteger(value: number, option: string): number {
  return integerIn(value, option, { least: 1 });
}

/** Returns the size of a page. @throws {WorkflowError} `OPTION_INVALID` */
export function pageSize(limit: number, least: 0 | 1 = 1): number {
  return integerIn(limit, "limit", { least, most: 1_000, hint: "Ask for smaller pages, and continue with `cursor`." });
}

export function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item));
}

export function notObjects(option: string, value: unknown): WorkflowError {
  return wrongOption(
    option,
    `is ${formatValue(value)}; it must be a list of objects`,
    "Pass a list, also for a single one.",
  );
}

const LAST_DATE_MS = 8.64e15;

/** Returns a point in time in whole epoch milliseconds, that a `Date` can say. @throws {WorkflowError} `OPTION_INVALID` */
export function timeOf(time: Date | number, option: string): number {
  const atMs: unknown = isDate(time) ? time.getTime() : time;
  if (typeof atMs === "number" && Math.abs(atMs) <= LAST_DATE_MS) return Math.ceil(atMs);
  throw wrongOption(
    option,
    `is ${formatValue(atMs)}, which is no point in time`,
    "Pass a Date, or epoch milliseconds.",
  );
}

// ---- rules for options
// There is one table for each kind of object that users write. All problems are reported at once, unknown options among them.

/** Describes what is wrong with a value, one sentence for each problem. `undefined` if the option is absent. */
export type Rule = (value: unknown, option: string) => readonly string[];

/** A rule for every option of a type, so that none is forgotten. */
export type Rules<Options> = { readonly [Option in keyof Required<Options>]: Rule };

/** The problems of all options, unknown ones first. @param prefix See {@link ruleProblems}. */
export function optionProblems<Options extends object>(given: Options, rules: Rules<Options>, prefix = ""): string[] {
  return [...unknownNames(given, Object.keys(rules), prefix), ...ruleProblems(given, rules, prefix)];
}

/** @param prefix Stands before the names of the options, when they are inside of another option. */
export function ruleProblems(given: object, rules: object, prefix = ""): string[] {
  return Object.entries<Rule>(rules as Readonly<Record<string, Rule>>).flatMap(([option, rule]) => [
    ...rule(given[option as keyof object], `${prefix}${option}`),
  ]);
}

// ---- rules

/** Refuses what does not fit; an absent option fits. */
// @__NO_SIDE_EFFECTS__
export function fits(of: shape.Shape): Rule {
  return (value, option) => {
    const problems = value === undefined ? null : of(value);
    return (problems ?? []).map(({ path, what }) => `\`${path === "" ? option : `${option}.${path}`}\` ${what}`);
  };
}

/** @param problemOf Describes what is wrong with a value, to be read after its name; `null` if it is right. */
// @__NO_SIDE_EFFECTS__
export function ruleOf(problemOf: (value: unknown) => string | null): Rule {
  return fits(shape.shapeOf(problemOf));
}

/** @param expected To be read after the value: "is 0, not a whole number from 1". */
// @__NO_SIDE_EFFECTS__
export function valueRule(isRight: (value: unknown) => boolean, expected: string): Rule {
  return fits(shape.is(expected, isRight));
}

/** Checked where it is used, or not at all. */
export const anything: Rule = () => [];

/** The rule {@link anything} for several options. @param names With spaces between them. */
export function unchecked<const Names extends string>(names: Names): Readonly<Record<Words<Names>, Rule>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, anything])) as never;
}

/** `null` counts as absent. */
export const text: Rule = valueRule((value) => typeof value === "string" || value === null, "a text");
export const flag: Rule = fits(shape.flag);
export const callable: Rule = valueRule((value) => typeof value === "function", "a function");
/** `null` counts as absent. */
export const object: Rule = fits(shape.nullable(shape.anyObject));
export const list: Rule = fits(shape.anyList);

export function oneOf(...words: readonly string[]): Rule {
  return valueRule((value) => words.includes(value as string), `one of ${words.join(", ")}`);
}

export function wholeNumber(least: number, most?: number): Rule {
  return ruleOf((value) =>
    isIntegerIn(value, least, most) ? null : `is ${shape.shown(value)}, not ${rangeText(least, most)}`,
  );
}

/** An object of options inside of another. */
export function nested<Options extends object>(rules: Rules<Options>): Rule {
  return (value, option) => {
    if (value === undefined) return [];
    return hasFields(value)
      ? optionProblems(value as Options, rules, `${option}.`)
      : [`\`${option}\` is not an object`];
  };
}

/** Refuses an option that is left out. */
export function required(rule: Rule): Rule {
  return (value, option) => (value === undefined ? [`\`${option}\` is missing`] : rule(value, option));
}

/** An object or a function with these methods. @param expected See {@link valueRule}. */
export function withMethods(expected: string, ...methods: readonly string[]): Rule {
  const hasMethod = (value: unknown, method: string): boolean =>
    typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === "function";
  return valueRule((value) => methods.every((method) => hasMethod(value, method)), expected);
}

// ---- unknown names of options: without the error class, so that pages can check options, too

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

/** " Did you mean …?" after a sentence, for another one of these names; empty if none is near. */
export function suggest(name: unknown, names: Iterable<string>): string {
  const others = [...names].filter((other) => other !== name);
  const near = nearest(name as string, others);
  return near === null ? "" : ` Did you mean "${near}"?`;
}

/** The candidate for which `name` is most likely a typing error; `null` when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  if (typeof name !== "string") return null;
  let best: string | null = null;
  let bestDistance = Math.max(2, name.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= Math.min(name.length, candidate.length)) continue; // they share no letter: any name would be as near
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Number of letters to add, drop or change (Levenshtein). */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[right.length] as number;
}

/** Maximum length of a text that names a call for readers, in UTF-16 code units. */
export const MAX_LABEL = 200;

/** Checked where a label is given and where it is read. */
export function isLabel(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_LABEL;
}
