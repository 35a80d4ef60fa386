import { formatValue, optionProblems, type Rule } from "millrace/wire";
import { ClientError } from "../client-error.js";

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

/** An undefined option counts as left out. @param prefix Of the names, when they are inside of another option. */
export function problemsOf(given: unknown, rules: Rules, prefix?: string): string[] {
  if (typeof given !== "object" || given === null) return [`the options are ${formatValue(given)}, no object`];
  return optionProblems(given, rules, prefix);
}
