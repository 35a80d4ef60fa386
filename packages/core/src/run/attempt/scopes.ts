/** `ctx.scope`: the same context with separate keys, for code that steps call. */
import type { AttemptCore } from "../run.types.js";
import { scopeIn } from "./call-ids.js";
import { assertName } from "./call-names.js";
import { callsOf } from "./calls.js";
import { stepError } from "./step-error.js";

/**
 * Returns the path of the new scope.
 *
 * @param outer The path of the scope that it is opened in; empty for the step itself.
 * @throws {WorkflowError} `OPTION_INVALID` for a name that is no text or empty, `KEY_REUSED` for a second scope of this
 * name: two users of one scope would count each other's calls in the order in which they come, and a later attempt mixes them up.
 */
export function openScope(attempt: AttemptCore, outer: string, name: string): string {
  assertName(name, "scope");
  const path = scopeIn(outer, name);
  if (!callsOf(attempt).use(path)) throw scopeReused(attempt, path);
  return path;
}

/** The scope of a call in an error: "in scope `mail/retry`", or nothing in the step itself. */
export function inScopeText(scope: string): string {
  return scope === "" ? "" : ` in scope "${shownScope(scope)}"`;
}

/** What the details of an error say of the scope of a call. */
export function scopeDetails(scope: string): { readonly scope?: string } {
  return scope === "" ? {} : { scope: shownScope(scope) };
}

function shownScope(scope: string): string {
  return scope.slice(2).replaceAll("/@", "/");
}

function scopeReused({ step }: AttemptCore, path: string): Error {
  return stepError(step, {
    code: "KEY_REUSED",
    what: `opens the scope "${shownScope(path)}" twice in one attempt`,
    hint: "Open it once and pass it on, or name each use differently, for example by the index of the loop.",
    details: scopeDetails(path),
  });
}
