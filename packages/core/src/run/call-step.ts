/** Middleware around an attempt. */
import type { Context } from "../context/context.types.js";
import type { Middleware, StepCall } from "../workflow/middleware.types.js";
import type { Attempt } from "./attempt.js";

export interface PreparedCall {
  readonly payload: unknown;
  readonly ctx: Context;
  readonly resources: unknown;
}

type Next = Parameters<Middleware>[1];

export function callWithMiddleware(attempt: Attempt, { payload, ctx, resources }: PreparedCall): unknown {
  const { compiled } = attempt.runner.host;
  const { step, item, runner } = attempt;
  const call: StepCall = {
    workflow: compiled.name,
    step: step.definition.name,
    runId: runner.state.runId,
    item: item.id,
    attempt: attempt.number,
    event: payload,
    ctx,
  };
  let next: Next = async () => step.call(payload, ctx, resources) as never;
  for (const middleware of [...compiled.middleware].reverse()) next = wrap(middleware, call, next);
  return next();
}

function wrap(middleware: Middleware, call: StepCall, next: Next): Next {
  return async () => middleware(call, next);
}
