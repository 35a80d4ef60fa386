/**
 * The page of a child run: its place in its parent run, and the same views as for any run.
 *
 * Ids say who belongs to whom: a child of `r` is `r/5`.
 *
 * @module
 */
import { type ChildRun, type RunAttempt, type RunSummary, WorkflowError } from "@millrace/client";
import { promptsOf } from "../api/run-facts.js";

export interface ChildPlace {
  readonly child: ChildRun;
  /** The children that it is in, from the outside inwards. */
  readonly above: readonly ChildRun[];
  /** Workflow of the whole run. */
  readonly workflow: string;
}

/** Whether something is of that run or of a child of it. */
export function isOf(runId: string): (one: { readonly runId: string }) => boolean {
  return (one) => one.runId === runId || one.runId.startsWith(`${runId}/`);
}

/** `null`: the run has no such child. */
export function childPlace(
  { workflow }: RunSummary,
  children: readonly ChildRun[],
  childId: string,
): ChildPlace | null {
  const child = children.find(({ runId }) => runId === childId);
  if (child === undefined) return null;
  const above = children.filter(({ runId }) => runId !== childId && isOf(runId)(child));
  return { child, above, workflow };
}

/** The summary that the server has of whole runs. A child waits when everything that it has begun does. */
export function childSummary(root: RunSummary, { child }: ChildPlace, attempts: readonly RunAttempt[]): RunSummary {
  const { runId: handlerId, workflow, status, startedAtMs } = child;
  const prompts = promptsOf(root).filter(isOf(handlerId));
  const { version, updatedAtMs, lastEvent, isSealed, ticks } = root;
  const base = { handlerId, workflow, version, startedAtMs, updatedAtMs, lastEvent, isSealed, ticks };
  const own = { ...base, labels: {}, queue: null, forkedFrom: null };
  const endedAtMs = Math.max(startedAtMs, ...attempts.map((attempt) => attempt.endedAtMs ?? 0));
  if (status === "completed") return { ...own, status, endedAtMs, result: undefined };
  if (status !== "running") return { ...own, status, endedAtMs, error: errorOfChild(child) };
  const open = attempts.filter((attempt) => attempt.endedAtMs === null);
  const isWaiting = prompts.length > 0 || (open.length > 0 && open.every((attempt) => attempt.status === "waiting"));
  return isWaiting ? { ...own, status: "waiting", prompts, wakeAtMs: null } : { ...own, status };
}

/** The ticks of the child say more. */
function errorOfChild({ runId: handlerId, status }: ChildRun): WorkflowError {
  return new WorkflowError({ code: "CHILD_FAILED", message: `The run was ${status}.`, hint: "", handlerId });
}
