/** The run of a pipeline or a workflow that is a step. The `timeout` of the step is its limit, because the step itself only waits. */
import { type Workflow, WorkflowError } from "millrace";
import { toMs } from "millrace/engine";
import type { Execution } from "./execution.types.js";

interface ChildRun {
  readonly workflow: Workflow;
  readonly input: object;
  readonly store: "own" | "shared";
}

export function runChild(execution: Execution, { workflow, input, store }: ChildRun): Promise<unknown> {
  const { ctx } = execution;
  const timeoutMs = childTimeout(execution);
  // A retry starts a new child run: a failed nested pipeline is an ended child.
  const key = `attempt ${ctx.retryInfo().retry}`;
  const timeout = timeoutMs === null ? {} : { timeout: timeoutMs };
  return ctx.runChild(workflow as never, input as never, { key, store, ...timeout } as never);
}

/** The least of what the step and those around it allow. */
export function childTimeout({ node: { timeout }, state }: Execution): number | null {
  const { nesting } = state.request;
  const limits = [nesting?.timeoutMs ?? null, timeout === null ? null : toMs(timeout, "timeout")];
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Whether the limit has ended the run. */
export function isTimeout(error: unknown, execution: Execution): boolean {
  return (
    WorkflowError.is(error, "CHILD_FAILED") &&
    WorkflowError.is(error.cause, "RUN_TIMED_OUT") &&
    childTimeout(execution) !== null
  );
}

export function stepTimedOut(execution: Execution): WorkflowError {
  const { name } = execution.node;
  const limitMs = childTimeout(execution);
  return new WorkflowError({
    code: "STEP_TIMEOUT",
    message: `What the step "${name}" runs has worked for ${limitMs} ms: that is its limit.`,
    hint: "Raise `timeout` of the step, or of the one around it.",
    details: { step: name, limitMs },
  });
}
