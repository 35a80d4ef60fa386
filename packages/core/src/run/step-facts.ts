/**
 * What code that is called by a step may ask of its run, beyond what `ctx` says to every step.
 *
 * @module
 */
import type { Context } from "../context/context.types.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { LiveRunCore } from "./run.types.js";
import { StepContext } from "./step-context.js";

/**
 * The state of the run of a step, frozen, with every edit that is on its way: those that other steps end with among them, which
 * `ctx.store` does not show before they are stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that is none of a step.
 */
export function settledState<State>(ctx: Context<State>): Promise<State> {
  return runOf(ctx, "settledState").store().settled() as Promise<State>;
}

/**
 * The time of the run of a step, in epoch milliseconds: never before its last tick, though the run was loaded by another process, or
 * somebody has set the clock back.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that is none of a step.
 */
export function runTime(ctx: Pick<Context, "runId">): number {
  return runOf(ctx, "runTime").now();
}

function runOf(ctx: object, asking: string): LiveRunCore {
  const attempt = StepContext.attemptOf(ctx);
  if (attempt !== null) return attempt.run;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`${asking}\` needs the context of a step.`,
    hint: "Give it the `ctx` that the step was called with.",
    details: { option: "ctx" },
  });
}
