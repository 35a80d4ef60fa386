import { optionProblems, type Rule } from "millrace/wire";
import { ClientError } from "../client-error.js";

export type Rules = { readonly [option: string]: Rule };

/**
 * An undefined option counts as left out.
 *
 * @param call Name of the call to which the options belong, such as `"run"`.
 * @throws {ClientError} `OPTION_INVALID`; `details.problems` lists the problems.
 */
export function checkOptions(call: string, given: unknown, rules: Rules): void {
  const problems =
    typeof given === "object" && given !== null ? optionProblems(given, rules) : ["they are not an object"];
  if (problems.length === 0) return;
  throw new ClientError({
    code: "OPTION_INVALID",
    message: `The options of \`${call}\` are invalid: ${problems.join("; ")}.`,
    hint: "See the reference of the client.",
    details: { problems },
  });
}
