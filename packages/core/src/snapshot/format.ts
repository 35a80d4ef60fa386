/**
 * The snapshot of a run as plain JSON. Formats only grow: what a released version wrote stays readable.
 *
 * Version 1 is what callers get: a load starts the running work over, so the snapshot leaves it out. Version 2 also has the work
 * under way: a runtime stores it between ticks of a journal, and the ticks after it belong to the same attempts.
 *
 * Derived data is left out: open work of fan-outs, indexes of waits.
 *
 * @module
 */

import type { ItemStatus } from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { Shape } from "../value/shape.js";

export const SNAPSHOT_FORMAT = "millrace/run";
export const SNAPSHOT_VERSION = 1;
/** Version of the form with work under way, which runtimes store. */
export const STORED_VERSION = 2;

/** Status of an item whose work starts over. */
export function statusAtRest(status: ItemStatus): "ready" | "delayed" | "failed" {
  return status === "delayed" || status === "failed" ? status : "ready";
}

// ---- errors of snapshots and ticks, and the check of their shape

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
