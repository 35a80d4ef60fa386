/**
 * The state of a task: a view of its run.
 *
 * ```
 * scheduled ──► SUBMITTED      open prompt ──► INPUT_REQUIRED      completed ──► COMPLETED
 * at work, or waits for a time ──► WORKING      failed, timed out ──► FAILED      cancelled ──► CANCELED
 * ```
 *
 * @module
 */
import { TaskState } from "@a2a-js/sdk";
import type { PendingPrompt, RunOutcome } from "millrace";
import type { RunHandle, RunListing } from "millrace/runtime";

/** Where a run stands. */
export interface Standing {
  readonly summary: RunListing;
  readonly state: TaskState;
  /** Open prompts; empty unless input is required. */
  readonly prompts: readonly PendingPrompt[];
  /** `null` while the run has not ended. */
  readonly outcome: EndedOutcome | null;
}

export type EndedOutcome = Exclude<RunOutcome, { readonly status: "waiting" }>;

/**
 * The listing comes first: what happens between the reads is then after its last event, and a reader of the stream comes
 * to it.
 */
export async function standingOf(handle: RunHandle): Promise<Standing> {
  const summary = await handle.summary();
  const outcome = await handle.outcome();
  if (outcome !== null && outcome.status !== "waiting") {
    const last = isEnded(summary) ? summary : await handle.summary();
    return { summary: last, state: stateOf(outcome), prompts: [], outcome };
  }
  const prompts = await handle.prompts();
  return { summary, state: openState(summary, prompts.length > 0), prompts, outcome: null };
}

function openState({ status, lastEvent }: RunListing, isAsking: boolean): TaskState {
  if (isAsking) return TaskState.TASK_STATE_INPUT_REQUIRED;
  return status === "scheduled" && lastEvent < 0 ? TaskState.TASK_STATE_SUBMITTED : TaskState.TASK_STATE_WORKING;
}

function stateOf({ status }: EndedOutcome): TaskState {
  if (status === "completed") return TaskState.TASK_STATE_COMPLETED;
  return status === "cancelled" ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_FAILED;
}

const ended: ReadonlySet<string> = new Set(["completed", "failed", "timedOut", "cancelled"]);

export const isEnded = ({ status }: Pick<RunListing, "status">): boolean => ended.has(status);

/** Statuses of runs whose tasks may have this state. `null`: all. */
export function statusesOf(state: TaskState): readonly RunListing["status"][] | null {
  switch (state) {
    case TaskState.TASK_STATE_UNSPECIFIED:
      return null;
    case TaskState.TASK_STATE_SUBMITTED:
      return ["scheduled", "queued"];
    case TaskState.TASK_STATE_WORKING:
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return ["scheduled", "queued", "running", "waiting"];
    case TaskState.TASK_STATE_COMPLETED:
      return ["completed"];
    case TaskState.TASK_STATE_FAILED:
      return ["failed", "timedOut"];
    case TaskState.TASK_STATE_CANCELED:
      return ["cancelled"];
    default:
      return []; // states that no task of ours has
  }
}
