/** The names of calls in their scope, of which their ids are made. */

import { formatValue } from "../../value/format-value.js";
import { wrongOption } from "../../value/options.js";

/**
 * The name of a call: its key, or its subject. Calls without a key are counted by name.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 */
export function nameOf(kind: string, about: string, key: string | undefined): string {
  return key === undefined ? `${kind}:${about}` : keyed(kind, key);
}

/** The name of a call with a key. @throws {WorkflowError} `OPTION_INVALID` */
export function keyed(kind: string, key: string): string {
  assertName(key, "key");
  return `${kind}=${key}`;
}

/** Keys of calls and names of scopes have one rule. @throws {WorkflowError} `OPTION_INVALID` */
export function assertName(name: unknown, option: "key" | "scope"): void {
  if (typeof name === "string" && name !== "") return;
  const what = `is ${name === "" ? "empty" : formatValue(name)}; it must be a text`;
  throw wrongOption(option, what, "Use a short text that is unique in the step.");
}
