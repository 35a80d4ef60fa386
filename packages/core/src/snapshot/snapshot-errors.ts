/** Errors of snapshots and ticks, and the check of their shape. */
import { WorkflowError } from "../errors/workflow-error.js";
import type { Shape } from "../value/shape.js";

/** @throws {WorkflowError} `SNAPSHOT_INVALID` naming every problem. @param path Names the value in the error. */
export function checkShape<Value>(shape: Shape<Value>, value: unknown, path: string): Value {
  const problems = shape(value);
  if (problems === null) return value as Value;
  const at = problems.map((problem) => (problem.path === "" ? path : `${path}.${problem.path}`));
  throw invalid(
    at[0] as string,
    problems.map(({ what }, index) => `${at[index]} ${what}`),
  );
}

export function invalidSnapshot(path: string, what: string): WorkflowError {
  return invalid(path, [`${path} is ${what}`]);
}

function invalid(path: string, problems: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "SNAPSHOT_INVALID",
    message: `This is not a ${path.startsWith("tick") ? "tick" : "snapshot"} of a run: ${problems.join("; ")}.`,
    hint: "Pass the result of `context.toDict()`, whole and unchanged.",
    details: { path, problems },
  });
}
