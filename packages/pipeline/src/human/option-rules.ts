/** Rules for options that only pipelines have. */
import { oneOf, type Rule, refuseOptions, valueRule } from "millrace/engine";

export const flagOrFunction: Rule = valueRule(
  (value) => typeof value === "boolean" || typeof value === "function",
  "true or false or a function",
);

export const someText: Rule = valueRule(
  (value) => typeof value === "string" && value !== "",
  "a text that is not empty",
);

export const errorPolicy: Rule = oneOf("fail", "skip", "pause");

/** Keys that records of metrics, which are listed by name of the step, cannot have. */
const forbiddenNames: readonly unknown[] = ["__proto__", "constructor", "prototype"];

/** The name of a step or a group. */
export const stepName: Rule = (name) => {
  if (name === undefined) return [];
  if (typeof name !== "string" || name === "") return ["its `name` is not a string"];
  return forbiddenNames.includes(name) ? ["no step can have this name"] : [];
};

/** For messages. The name may be anything. */
export function nameIn({ name }: { readonly name?: unknown }): string {
  return typeof name === "string" && name !== "" ? name : "without a name";
}

/** @throws {WorkflowError} `OPTION_INVALID` when the options are not an object. */
export function assertOptions(what: string, options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    refuseOptions(`${what} cannot be made`, ["it has no options"]);
}
