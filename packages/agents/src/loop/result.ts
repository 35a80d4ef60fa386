import type { WorkflowError } from "millrace";
import type { ExecutorResult, ExecutorStatus, StepResult } from "../settings/executor.types.js";
import { mediaSet, plainMessages } from "../settings/media-part.js";
import { spent } from "./ledger.js";
import type { LoopAnswer, LoopRun } from "./loop-run.types.js";

/** How a loop has ended. */
export type LoopEnd = { readonly runId: string; readonly durationSeconds?: number } & (
  | { readonly answer: LoopAnswer }
  | { readonly error: WorkflowError }
);

type SoFar = Pick<LoopRun, "settings" | "ledger" | "said"> & { readonly runId: string; readonly seconds?: number };

/** The result of a run, as callers, pipelines and leaders get it. */
export function resultOf(run: LoopRun, { runId, durationSeconds: seconds, ...end }: LoopEnd): StepResult {
  const soFar = { ...run, runId, ...(seconds !== undefined && { seconds }) };
  if ("error" in end) return unfinished(soFar, "ERROR", end.error);
  const { content, finishReason } = end.answer;
  return { ...unfinished(soFar, "COMPLETED", null), content, finishReason };
}

/** What a run has made so far. */
export function unfinished<Status extends ExecutorStatus>(
  { runId, settings, ledger, said, seconds }: SoFar,
  status: Status,
  error: WorkflowError | null,
): ExecutorResult & { readonly status: Status; readonly pause: null } {
  const metrics = spent(ledger);
  return {
    runId,
    status,
    error,
    content: null,
    contentType: settings.outputSchema === undefined ? "text" : "object",
    metrics: { ...metrics, duration: seconds ?? metrics.duration },
    tools: ledger.tools,
    memberRuns: ledger.members,
    messages: plainMessages(said),
    pause: null,
    finishReason: status === "PAUSED" ? "tool-calls" : null,
    ...mediaSet(ledger.media),
  };
}
