/**
 * The page of a child run: its place in its parent run, and the same views as for any run.
 *
 * Ids say who belongs to whom: a child of `r` is `r/5`.
 *
 * @module
 */
import type { Attempt, ChildRun, Handler, Prompt } from "../api/contract.types.js";

export interface ChildPlace {
  readonly child: ChildRun;
  /** The children that it is in, from the outside inwards. */
  readonly above: readonly ChildRun[];
  /** Workflow of the whole run. */
  readonly workflow: string;
}

/** Whether something is of that run or of a child of it. */
export function isOf(runId: string): (one: { readonly run_id: string }) => boolean {
  return ({ run_id }) => run_id === runId || run_id.startsWith(`${runId}/`);
}

/** `null`: the run has no such child. */
export function childPlace({ workflow_name, children = [] }: Handler, childId: string): ChildPlace | null {
  const child = children.find(({ run_id }) => run_id === childId);
  if (child === undefined) return null;
  const above = children.filter(({ run_id }) => run_id !== childId && isOf(run_id)(child));
  return { child, above, workflow: workflow_name };
}

/** The record that the server has of whole runs. A child waits when everything that it has begun does. */
export function childRecord(root: Handler, { child }: ChildPlace, attempts: readonly Attempt[]): Handler {
  const open = attempts.filter(({ ended_at }) => ended_at === null);
  const prompts: readonly Prompt[] = root.prompts.filter(isOf(child.run_id));
  return {
    ...root,
    handler_id: child.run_id,
    run_id: child.run_id,
    workflow_name: child.workflow_name,
    status: child.status,
    started_at: child.started_at,
    completed_at: null,
    waiting: prompts.length > 0 || (open.length > 0 && open.every(({ status }) => status === "waiting")),
    prompts: child.status === "running" ? prompts : [],
    error: null,
    error_code: null,
    result: null,
    forked_from: null,
    wake_at: null,
    queue: null,
    labels: {},
  };
}
