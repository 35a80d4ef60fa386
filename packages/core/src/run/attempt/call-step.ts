/** Middleware around an attempt. */

import type { Context } from "../../authoring/context.types.js";
import type { Middleware, StepCall } from "../../authoring/workflow.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import type { AttemptCore } from "../run.types.js";

export interface PreparedCall {
  readonly payload: unknown;
  readonly ctx: Context;
  readonly resources: unknown;
}

type Next = Parameters<Middleware>[1];

export function callWithMiddleware(attempt: AttemptCore, { payload, ctx, resources }: PreparedCall): unknown {
  const { compiled } = attempt.run.host;
  const { step, item, run } = attempt;
  const call: StepCall = {
    workflow: compiled.name,
    step: step.definition.name,
    runId: run.state.runId,
    item: item.id,
    attempt: attempt.number,
    event: payload,
    ctx,
  };
  let next: Next = async () => step.call(payload, ctx, resources) as never;
  for (const middleware of [...compiled.middleware].reverse()) next = wrap(middleware, call, next);
  return next();
}

/** Lets a middleware call `next` once: a step that runs twice in one attempt would find its own calls answered. */
function wrap(middleware: Middleware, call: StepCall, next: Next): Next {
  return async () => {
    let first: ReturnType<Next> | null = null;
    let isReused = false;
    const output = await middleware(call, () => {
      if (first === null) return (first = next());
      isReused = true;
      return refusal(call, first);
    });
    // Also if the second call is not awaited.
    if (isReused) throw nextReused(call);
    return output;
  };
}

/** Rejects only when the first call has ended: the attempt ends with it, and no code of the step may still run. */
function refusal(call: StepCall, first: ReturnType<Next>): ReturnType<Next> {
  const refused = first.then(
    () => {
      throw nextReused(call);
    },
    (cause: unknown) => {
      throw nextReused(call, { cause });
    },
  );
  refused.catch(() => {}); // the attempt fails with it, whether it is awaited or not
  return refused;
}

function nextReused({ step, item, attempt }: StepCall, cause: { readonly cause?: unknown } = {}): WorkflowError {
  return new WorkflowError({
    code: "CALL_INVALID",
    message: `Middleware calls \`next()\` twice for step "${step}" (item ${item}, attempt ${attempt}).`,
    hint: "Call it once; to retry a step, set its `retry` policy.",
    details: { reason: "next", step, item, attempt },
    ...cause,
  });
}
