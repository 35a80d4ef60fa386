/**
 * Checks options and reports all problems in one error.
 *
 * @module
 */
import { ClientError } from "../client-error.js";
import { show } from "../show.js";

/**
 * Describes the problem of a value, to be read after its name: "is 0, not a whole number from 1"; `null` when there is
 * none.
 */
export type Rule = (value: unknown) => string | null;
export type Rules = { readonly [option: string]: Rule };

/**
 * @param call Name of the call to which the options belong, such as `"run"`.
 * @throws {ClientError} `OPTION_INVALID`; `details.problems` lists the problems.
 */
export function checkOptions(call: string, given: unknown, rules: Rules): void {
  refuse(call, problemsOf(given, rules));
}

/** @throws {ClientError} `OPTION_INVALID` when there is a problem. */
export function refuse(call: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new ClientError({
    code: "OPTION_INVALID",
    message: `The options of \`${call}\` are invalid: ${problems.join("; ")}.`,
    hint: "The reference of the client lists the options and their values.",
    details: { problems },
  });
}

/** An undefined option counts as left out. */
export function problemsOf(given: unknown, rules: Rules, prefix = ""): string[] {
  if (typeof given !== "object" || given === null) return [`${prefix || "the options"} are ${show(given)}, no object`];
  const names = Object.keys(rules);
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const path = prefix ? `${prefix}.${name}` : name;
    const rule = Object.hasOwn(rules, name) ? (rules[name] as Rule) : null;
    if (rule === null) return [`\`${path}\` is not an option${suggestion(name, names)}`];
    const problem = rule(value);
    return problem === null ? [] : [`\`${path}\` ${problem}`];
  });
}

function suggestion(name: string, names: readonly string[]): string {
  const ranked = names.map((known) => [distance(name.toLowerCase(), known.toLowerCase()), known] as const);
  const [best] = ranked.sort(([left], [right]) => left - right);
  if (best && best[0] <= Math.max(2, name.length / 3)) return ` (did you mean \`${best[1]}\`?)`;
  return `; there are ${names.map((known) => `\`${known}\``).join(", ")}`;
}

/** Levenshtein distance. Not imported from `millrace/engine`, which would add 68 kB to the bundle. */
function distance(left: string, right: string): number {
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
