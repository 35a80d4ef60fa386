/**
 * `return ctx.finish(edit)`: a step ends with an edit and its output in one tick, both or neither.
 *
 * @module
 */

import { optionalModules } from "../../engine/optional-modules.js";
import type { StepCompleted } from "../../engine/tick.js";
import { invalidResult, type NamedStep, stepError, type WorkflowError } from "../../errors/workflow-error.js";
import { refuseInsideEdit } from "../../state/edit-context.js";
import { formatValue, isThenable } from "../../value/kind.js";
import type { AttemptCore } from "../live-run.js";
import { FinishResult } from "./finish-result.js";
import { refuseInsideRun } from "./open-call.js";

/**
 * @throws {WorkflowError} `STEP_RESULT_INVALID` for a second call in one attempt, `OPTION_INVALID` for an argument that is not a
 * function, `STATE_LOCKED` inside `editState`, `CALL_INVALID` inside the function of `ctx.run`, `ATTEMPT_ENDED`.
 */
export function beginFinish(attempt: AttemptCore, edit: (draft: never) => unknown): FinishResult {
  attempt.assertAlive();
  refuseInsideEdit("finish", attempt);
  refuseInsideRun("finish", attempt);
  const { step } = attempt;
  if (typeof edit !== "function") throw noCallback(step, "ctx.finish", edit);
  if (attempt.finishResult !== null)
    throw invalidResult(step, "called `ctx.finish` twice", "An attempt ends once: call it once.");
  attempt.finishResult = new FinishResult(edit);
  return attempt.finishResult;
}

/**
 * Refuses a result that is not the one of `ctx.finish`: the edit would be lost silently.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID`
 */
function assertFinishResult(attempt: AttemptCore, value: unknown): void {
  const { finishResult, step } = attempt;
  if (finishResult === value) return;
  if (value instanceof FinishResult) throw endOfAnother(step, "ctx.finish", "attempt");
  if (finishResult !== null) throw endLost(step, "ctx.finish");
}

type OutputOf = (attempt: AttemptCore, value: unknown) => StepCompleted["output"];

/**
 * Ends the attempt with what its step has returned.
 *
 * @param outputOf Checks it, or the result of the callback of `ctx.finish`.
 * @throws {WorkflowError} `STEP_RESULT_INVALID`
 */
export function endWith(attempt: AttemptCore, value: unknown, outputOf: OutputOf): void {
  assertFinishResult(attempt, value);
  if (value instanceof FinishResult) finishWith(attempt, value, outputOf);
  else attempt.finish(outputOf(attempt, value));
}

/** Makes the edit in its turn, nearly always at once, and ends the attempt with it. */
function finishWith(attempt: AttemptCore, act: FinishResult, outputOf: OutputOf): void {
  const { run, item } = attempt;
  run.store().finish({
    run,
    token: attempt,
    edit: (draft) => act.edit(draft),
    direct: act.direct,
    isOver: () => attempt.ended !== null,
    submit(answer, change, onStored) {
      if (isThenable(answer)) throw isAsync(attempt.step, "ctx.finish", answer);
      attempt.finish(outputOf(attempt, answer), change && { change, onStored });
      return optionalModules.fanOuts?.canEndAlone(run.host.routing, item) !== true;
    },
    fail: (error) => attempt.fail(error),
  });
}

type Finishing = "ctx.finish" | "call.finish";

export function endOfAnother(step: NamedStep, what: Finishing, owner: "attempt" | "call"): WorkflowError {
  return invalidResult(
    step,
    `returned the result of \`${what}\` of another ${owner}`,
    `Call it in the ${owner === "call" ? "function" : owner} that returns it.`,
  );
}

export function endLost(step: NamedStep, what: Finishing): WorkflowError {
  return invalidResult(
    step,
    `called \`${what}\` and returned another value, so its edit would be lost`,
    `Return its result alone: \`return ${what}((state) => …)\`.`,
  );
}

export function isAsync(step: NamedStep, what: Finishing, answer: PromiseLike<unknown>): WorkflowError {
  answer.then(null, () => {}); // not awaited; its failure adds nothing to this error
  return invalidResult(
    step,
    `passed an async callback to \`${what}\``,
    "The callback is synchronous: await what it needs before, and drop its `async`.",
  );
}

export function noCallback(step: NamedStep, what: Finishing, given: unknown): WorkflowError {
  return stepError(step, {
    code: "OPTION_INVALID",
    what: `called \`${what}\` with ${formatValue(given)}`,
    hint: `Pass a function: \`return ${what}((state) => { …; return … })\`.`,
    details: { option: "edit" },
  });
}
