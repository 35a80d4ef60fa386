/**
 * Describes problems of options as sentences, so that all are reported at once.
 *
 * @module
 */
import { type Duration, WorkflowError } from "millrace";
import { toMs } from "millrace/engine";

/** Limits the number of earlier runs, because each is a read of the store. */
export function historyProblems(count: number | undefined): string[] {
  if (count === undefined || (Number.isInteger(count) && count >= 0 && count <= 1_000)) return [];
  return [`\`numHistoryRuns\` is ${String(count)}, not a whole number from 0 to 1,000`];
}

export const errorPolicies: readonly string[] = ["fail", "skip", "pause"];

/** Keys that records of metrics, which are listed by name of the step, cannot have. */
const forbiddenNames: readonly unknown[] = ["__proto__", "constructor", "prototype"];

/** Checks the name of a step or a group; `undefined` gets a default. */
export function nameProblems(name: unknown): string[] {
  if (name === undefined) return [];
  if (typeof name !== "string" || name === "") return ["its `name` is no text"];
  return forbiddenNames.includes(name) ? ["no step can have this name"] : [];
}

/** Checks an option that takes one of several words. */
export function wordProblems(option: string, word: unknown, known: readonly string[]): string[] {
  if (word === undefined || known.includes(word as string)) return [];
  return [`\`${option}\` is ${typeof word === "string" ? `"${word}"` : String(word)}, not one of ${known.join(", ")}`];
}

/**
 * Checks the types of the given options, for callers without TypeScript. An option that takes a text or an object does
 * not take `null`.
 */
export function typeProblems(options: object, types: Readonly<Record<string, Kind | readonly Kind[]>>): string[] {
  return Object.entries(types).flatMap(([option, expected]) => {
    const value: unknown = options[option as keyof object];
    const kinds = [expected].flat();
    if (value === undefined || kinds.some((kind) => isOfKind[kind](value))) return [];
    return [`\`${option}\` is ${shown(value)}, not ${kinds.map((kind) => kindNames[kind]).join(" or ")}`];
  });
}

type Kind = "text" | "boolean" | "function" | "object" | "duration";

const isOfKind: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string" || value === null,
  boolean: (value) => typeof value === "boolean",
  function: (value) => typeof value === "function",
  object: (value) => typeof value === "object" && !Array.isArray(value),
  duration: isDuration,
};

const kindNames: Readonly<Record<Kind, string>> = {
  text: "a text",
  boolean: "true or false",
  function: "a function",
  object: "an object",
  duration: 'a duration, as 500 or "30s"',
};

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
  if (value === null) return "null";
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/** @throws {WorkflowError} `OPTION_INVALID` when the options are not an object. */
export function assertOptions(what: string, options: unknown): void {
  if (!isOfKind.object(options) || options === null) refuse(`${what} cannot be made`, ["it has no options"]);
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
