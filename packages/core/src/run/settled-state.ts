import type { Context } from "../context/context.types.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { StepContext } from "./step-context.js";

/**
 * The state of the run of a step, frozen, with every edit that is on its way: those that other steps end with among them, which
 * `ctx.store` does not show before they are stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that is none of a step.
 */
export function settledState<State>(ctx: Context<State>): Promise<State> {
  const attempt = StepContext.attemptOf(ctx);
  if (attempt !== null) return attempt.run.store().settled() as Promise<State>;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: "`settledState` was called with what is no context of a step.",
    hint: "Give it the `ctx` that the step was called with.",
    details: { option: "ctx" },
  });
}
