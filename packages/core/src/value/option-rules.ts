/**
 * Rules for options: one table for each kind of object that users write. All problems are reported at once, unknown options among them.
 * Nothing here needs the error class, so that pages can check options, too.
 *
 * @module
 */
import { hasFields } from "./kind.js";
import * as shape from "./shape.js";

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
  return Object.entries(rules as Readonly<Record<string, Rule>>).flatMap(([option, rule]) =>
    rule(given[option as keyof object], `${prefix}${option}`),
  );
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

/** A name of the time zones of IANA. */
export const timezone: Rule = valueRule((value) => {
  try {
    return typeof value === "string" && value !== "" && new Intl.DateTimeFormat("en", { timeZone: value }) !== null;
  } catch {
    return false; // the time zone is unknown
  }
}, 'an IANA time zone such as "Europe/Berlin"');

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

// ---- unknown names of options

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

// ---- numbers and labels

export function isIntegerIn(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Made for errors only: the first number of a process that is written so takes 20 ms. */
export function rangeText(least: number, most?: number): string {
  return `a whole number from ${least}${most === undefined ? "" : ` to ${most.toLocaleString("en")}`}`;
}

/** Maximum length of a text that names a call for readers, in UTF-16 code units. */
export const MAX_LABEL = 200;

/** Checked where a label is given and where it is read. */
export function isLabel(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_LABEL;
}
