import type { Media } from "@millrace/pipeline/executor";
import type { WorkflowError } from "millrace";
import type { StepResult } from "../settings/executor.types.js";
import { mediaSet, plainMessages } from "../settings/media-part.js";
import { spent } from "./ledger.js";
import type { LoopAnswer, LoopRun } from "./loop-run.types.js";

/** How a loop has ended. */
export type LoopEnd = { readonly runId: string; readonly durationSeconds?: number } & (
  | { readonly answer: LoopAnswer }
  | { readonly error: WorkflowError }
);

/** The result of a run, as callers, pipelines and leaders get it. */
export function resultOf(run: LoopRun, end: LoopEnd): StepResult {
  const { ledger, settings, said } = run;
  const metrics = spent(ledger);
  const media: readonly Media[] = ledger.media;
  const shared = {
    runId: end.runId,
    contentType: settings.outputSchema === undefined ? ("text" as const) : ("object" as const),
    metrics: { ...metrics, duration: end.durationSeconds ?? metrics.duration },
    tools: ledger.tools,
    memberRuns: ledger.members,
    messages: plainMessages(said),
    pause: null,
    ...mediaSet(media),
  };
  if ("error" in end) return { ...shared, content: null, status: "ERROR", error: end.error, finishReason: null };
  const { content, finishReason } = end.answer;
  return { ...shared, content, status: "COMPLETED", error: null, finishReason };
}
