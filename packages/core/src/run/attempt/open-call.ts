/**
 * What the functions of `ctx.run` and `editState` do through `ctx` belongs to their call: it counts with the record of the call, once,
 * or not at all.
 *
 * @module
 */

import type { EffectRecorded, Send } from "../../engine/tick.js";
import type { WorkflowError } from "../../errors/workflow-error.js";
import { callAround, followsAsyncContext, type OpenCall, openCall, outerCall } from "../../state/edit-context.js";
import type { AttemptCore } from "../run.types.js";
import { keyOf } from "./call-ids.js";
import { writtenBy } from "./piece-writer.js";
import { type NamedStep, stepError } from "./step-error.js";

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
