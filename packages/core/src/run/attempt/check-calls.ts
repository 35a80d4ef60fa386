/** Checks the arguments of calls of `ctx`. */

import type { CompiledStep } from "../../compile/compile.js";
import { runLimits } from "../../engine/run-limits.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { isEventClass } from "../../event/facts.js";
import { formatValue } from "../../value/format-value.js";
import { wrongOption } from "../../value/options.js";
import type { AttemptCore } from "../run.types.js";
import { inScopeText, scopeDetails } from "./scopes.js";
import { stepError } from "./step-error.js";

export function assertClass(call: string, value: unknown): void {
  if (!isEventClass(value)) throw wrongArgument(call, value, "an event class");
}

export function wrongArgument(call: string, value: unknown, expected: string): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`${call}\` got ${nameOf(value)}; it expects ${expected}.`,
    hint:
      value === undefined
        ? "`undefined` in place of a class usually comes from a circular import."
        : 'Event classes extend `event("Type", { … })`, and events are made with `new`.',
  });
}

function nameOf(value: unknown): string {
  if (typeof value === "function") return `the function or class "${value.name.slice(0, 40)}"`;
  return formatValue(value);
}

/** @throws {WorkflowError} `CHILD_TOO_DEEP` for a child that no snapshot could hold. */
export function assertNotTooDeep(run: AttemptCore["run"], step: CompiledStep): void {
  const { nestedRuns: limit } = runLimits;
  let levels = 1;
  for (let outer = run.parent; outer !== null; outer = outer.run.parent) levels++;
  if (levels <= limit) return;
  throw stepError(step, {
    code: "CHILD_TOO_DEEP",
    what: `starts a child ${levels} levels below the outermost run; there may be ${limit}`,
    hint: "Let one run do the work in a loop, or return the rest of the work to the parent.",
    details: { levels, limit },
  });
}

export function storeUnknown(store: unknown): WorkflowError {
  const what = `of \`runChild\` is ${JSON.stringify(store)}`;
  return wrongOption("store", what, 'Use "shared", or leave it out for a separate store.');
}

export function keyReused({ step }: AttemptCore, key: string, scope: string): WorkflowError {
  return stepError(step, {
    code: "KEY_REUSED",
    what: `calls \`ctx.run("${key}", …)\` twice in one attempt${inScopeText(scope)}`,
    hint: "Use a different key for each call, for example with the index of the loop.",
    details: { key, ...scopeDetails(scope) },
  });
}
