/**
 * What is wrong with options, as sentences: whoever takes them names all of it at once.
 *
 * @module
 */
import { WorkflowError } from "millrace";

/** How many earlier runs may be asked for: each is a read of the store. */
export function historyProblems(count: number | undefined): string[] {
  if (count === undefined || (Number.isInteger(count) && count >= 0 && count <= 1_000)) return [];
  return [`\`numHistoryRuns\` is ${String(count)}, not a whole number from 0 to 1,000`];
}

export const errorPolicies: readonly string[] = ["fail", "skip", "pause"];

/** Metrics are told by the names of steps, and no record has these keys. */
const forbiddenNames: readonly unknown[] = ["__proto__", "constructor", "prototype"];

/** Of a step or a group; undefined: it gets one. */
export function nameProblems(name: unknown): string[] {
  if (name === undefined) return [];
  if (typeof name !== "string" || name === "") return ["its `name` is no text"];
  return forbiddenNames.includes(name) ? ["no step can have this name"] : [];
}

/** An option that takes a word. */
export function wordProblems(option: string, word: unknown, known: readonly string[]): string[] {
  if (word === undefined || known.includes(word as string)) return [];
  return [`\`${option}\` is ${typeof word === "string" ? `"${word}"` : String(word)}, not one of ${known.join(", ")}`];
}

/** @throws {WorkflowError} `OPTION_INVALID` with all of them. */
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
