import { WorkflowError } from "millrace";
import { checkOptions as checkAll, list, type Rule, type Rules, valueRule, wholeNumber } from "millrace/engine";

/** @throws {WorkflowError} `OPTION_INVALID`, naming every unknown option. */
export function checkOptions<Options extends object>(call: string, given: Options, rules: Rules<Options>): void {
  checkAll(`The options of \`${call}\` are wrong`, given, { rules });
}

const isSeed = (value: unknown): boolean => Number.isSafeInteger(value);

export const seedRule: Rule = valueRule(isSeed, "a whole number");
export const seedsRule: Rule = valueRule(
  (seeds) => Array.isArray(seeds) && seeds.every(isSeed),
  "a list of whole numbers",
);
export const clockRule: Rule = valueRule(
  (clock) => typeof (clock as { readonly now?: unknown } | null)?.now === "function",
  "a clock, as `virtualClock()` makes it",
);

function isCallableOrObject(value: unknown): boolean {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}

/** Rules of the options that everything has that runs a workflow. */
export const lifeRules: Rules<Readonly<Record<"answers" | "events" | "resources" | "timeoutTurns", unknown>>> = {
  answers: valueRule(isCallableOrObject, "a function, or an object with an answer for each prompt"),
  events: list,
  resources: list,
  timeoutTurns: wholeNumber(1),
};

/** Which calls are made, and not answered from a recording. */
export const liveRule: Rule = valueRule(
  (live) => typeof live === "function" || (Array.isArray(live) && live.every((name) => typeof name === "string")),
  "a list of keys and labels, or a function",
);

/** @throws {WorkflowError} `OPTION_INVALID` when one of these functions is missing. */
export function checkFunctions(call: string, made: unknown, names: readonly string[]): void {
  const missing = names.filter((name) => typeof (made as Record<string, unknown> | null)?.[name] !== "function");
  if (missing.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `The world of \`${call}\` is incomplete: ${missing.map((name) => `\`${name}\``).join(", ")} must be a function.`,
    hint: "Pass a function that makes a new world for each try and returns it, not a promise of it.",
    details: { call, missing },
  });
}

/** @throws {WorkflowError} `OPTION_INVALID` for options beside the functions of a world, where they are not read. */
export function checkWorld(call: string, world: object, options: object): void {
  const misplaced = Object.keys(world).filter((name) => Object.hasOwn(options, name));
  if (misplaced.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `The world of \`${call}\` mixes options with its functions: ${misplaced.map((name) => `\`${name}\``).join(", ")}.`,
    hint: "Pass them with the options.",
  });
}
