/** Fields that runs of some statuses have, as fields of every run. */
import type { PendingPrompt, RunSummary, WorkflowError } from "@millrace/client";

export function promptsOf(run: RunSummary): readonly PendingPrompt[] {
  return run.status === "waiting" ? run.prompts : [];
}

/** `null` for a run that has not ended. */
export function endedAtMsOf(run: RunSummary): number | null {
  return "endedAtMs" in run ? run.endedAtMs : null;
}

/** Why the run failed or was cancelled. */
export function errorOf(run: RunSummary): WorkflowError | null {
  return "error" in run ? run.error : null;
}

/** Whether the run has not ended: it is at work, waits, or is queued. */
export function isOpen({ status }: RunSummary): boolean {
  return status === "running" || status === "waiting" || status === "queued";
}
