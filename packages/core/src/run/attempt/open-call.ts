/**
 * What the functions of `ctx.run` and `editState` do through `ctx` belongs to their call: it counts with the record of the call, once,
 * or not at all.
 *
 * @module
 */

import type { EffectRecorded, Send } from "../../engine/tick.js";
import { type NamedStep, stepError, type WorkflowError } from "../../errors/workflow-error.js";
import { callAround, followsAsyncContext, type OpenCall, openCall, outerCall } from "../../state/edit-context.js";
import type { AttemptCore } from "../live-run.js";
import { assertName, keyOf, scopeIn } from "./call-ids.js";
import { callsOf } from "./calls.js";
import { writtenBy } from "./piece-writer.js";

/** What the ticks of a call have in common. */
export function stampOf(
  { run, item, number }: AttemptCore,
  call: string,
): Pick<EffectRecorded, "atMs" | "item" | "attempt" | "call"> {
  return { atMs: run.now(), item: item.id, attempt: number, call };
}

/** A call of `ctx.run` whose function is about to begin. */
export function openEffect(attempt: AttemptCore, call: string): OpenCall {
  return openCall("ctx.run", { call, cell: null, token: attempt, outer: outerCall(attempt) });
}

/** The effects of the function of a call, for the tick that records it. */
export function partsOf(
  attempt: AttemptCore,
  open: OpenCall,
  sends: readonly object[] | null = open.sends,
): Pick<EffectRecorded, "sends" | "hasShown" | "written"> | null {
  const { hasShown } = open;
  if (sends === null && !hasShown && followsAsyncContext()) return null; // as most calls
  const inside = (sends ?? []) as Send[];
  const sent = followsAsyncContext() ? inside : [...takeSends(attempt), ...inside];
  return {
    ...(sent.length > 0 && { sends: sent }),
    ...(hasShown && { hasShown: true as const, ...writtenBy(attempt, open) }),
  };
}

/** If the sends of a function after its awaits cannot be attributed, a record commits all that the step has sent so far. */
function takeSends(attempt: AttemptCore): readonly Send[] {
  const { sends } = attempt;
  attempt.sends = null;
  return sends ?? [];
}

/**
 * Refuses calls inside of a call that have their own record, time and end, and so cannot be part of one record.
 *
 * @throws {WorkflowError} `CALL_INVALID` inside the function of `ctx.run`.
 */
export function refuseInsideRun(what: string, attempt: AttemptCore): void {
  const around = callAround(attempt);
  if (around?.name !== "ctx.run") return;
  around.refusal ??= callNested(attempt.step, what, String(around.call));
  throw around.refusal;
}

function callNested(step: NamedStep, what: string, inside: string): WorkflowError {
  const key = keyOf(inside);
  return stepError(step, {
    code: "CALL_INVALID",
    what: `calls \`ctx.${what}\` inside the function of \`ctx.run("${key}", …)\``,
    hint:
      what === "finish"
        ? "Return the result of `call.finish` of the function's argument."
        : `Call \`ctx.${what}\` in the step itself, before or after.`,
    details: { reason: "nested", what, inside: key },
  });
}

// ---- `ctx.scope`: the same context with separate keys, for code that steps call

/**
 * Returns the path of the new scope.
 *
 * @param outer Path of the scope that it is opened in; empty for the step itself. @throws {WorkflowError} `OPTION_INVALID`
 * for a name that is not a non-empty string, `KEY_REUSED` for a second scope of this name: two users of one scope would count
 * each other's calls in the order in which they come, and a later attempt mixes them up.
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

/** Returns the details of an error that name the scope of a call. */
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
