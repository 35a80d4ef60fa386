/** The `timeout` of a step that runs a pipeline or a workflow: a limit of that run, because the step itself only waits. */
import { WorkflowError } from "millrace";
import { toMs } from "millrace/engine";
import type { StepNode } from "../nodes/node.types.js";
import type { RunRequest } from "../state/pipeline-state.types.js";

/** The least of what this step and those around it allow. */
export function childTimeout({ timeout }: StepNode, { nesting }: RunRequest): number | null {
  const limits = [nesting?.timeoutMs ?? null, timeout === null ? null : toMs(timeout, "timeout")];
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

interface Limited {
  readonly node: StepNode;
  readonly timeoutMs: number | null;
}

export function isTimeout(error: unknown, { timeoutMs }: Limited): boolean {
  return (
    timeoutMs !== null && WorkflowError.is(error, "CHILD_FAILED") && WorkflowError.is(error.cause, "RUN_TIMED_OUT")
  );
}

export function stepTimedOut({ node: { name }, timeoutMs }: Limited): WorkflowError {
  return new WorkflowError({
    code: "STEP_TIMEOUT",
    message: `What the step "${name}" runs has worked for ${timeoutMs} ms: that is its limit.`,
    hint: "Raise `timeout` of the step, or of the one around it.",
    details: { step: name, limitMs: timeoutMs },
  });
}
