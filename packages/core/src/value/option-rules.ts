/**
 * Rules for options: one table for each kind of object that users write. All problems are reported at once, unknown
 * options among them.
 *
 * @module
 */
import * as shape from "./shape.js";
import { unknownNames, type Words } from "./unknown-names.js";

/** Describes what is wrong with a value, one sentence for each problem. `undefined`: the option is absent. */
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

export function wholeNumber(least: number, most: number = Number.POSITIVE_INFINITY): Rule {
  return ruleOf((value) => {
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return null;
    // Here, because the first number of a process that is written so takes 20 ms.
    const end = most === Number.POSITIVE_INFINITY ? "" : ` to ${most.toLocaleString("en")}`;
    return `is ${shape.shown(value)}, not a whole number from ${least}${end}`;
  });
}

/** An object of options inside of another. */
export function nested<Options extends object>(rules: Rules<Options>): Rule {
  return (value, option) => {
    if (value === undefined) return [];
    return shape.isObject(value)
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
