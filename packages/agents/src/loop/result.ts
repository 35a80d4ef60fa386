import { addMetrics, emptyMetrics, type StepMetricsData } from "@millrace/executor";
import type { WorkflowError } from "millrace";
import { cancelled } from "../run/failure.js";
import type { ExecutorResult, ExecutorStatus, StepResult } from "../settings/executor.types.js";
import { mediaSet, plainMessages } from "../settings/media-part.js";
import type { Ledger, LoopAnswer, LoopRun } from "./loop-run.types.js";

export function newLedger(): Ledger {
  return { calls: [], made: [], heard: [], tools: [], media: [], members: [], open: new Set(), reported: new Map() };
}

/** Sum over all model calls, those of members included, also of members that are still at work. */
export function usageOf({ calls, members, open, reported }: Ledger): StepMetricsData {
  const ofMembers = [...members.map(({ metrics }) => metrics), ...[...open].map(({ ledger }) => usageOf(ledger))];
  return [...calls, ...ofMembers, ...reported.values()].reduce(addMetrics, emptyMetrics);
}

/** How a loop has ended. */
export type LoopEnd =
  | { readonly answer: LoopAnswer }
  | { readonly error: WorkflowError }
  /** With the reason. */
  | { readonly cancelled: unknown };

type SoFar = Pick<LoopRun, "settings" | "ledger" | "said"> & { readonly runId: string; readonly seconds?: number };

/** The result of a run, as callers, pipelines and leaders get it. */
export function resultOf(
  { settings, ledger, said }: LoopRun,
  { runId, seconds, ...end }: LoopEnd & Pick<SoFar, "runId" | "seconds">,
): StepResult {
  const soFar = { settings, ledger, said, runId, ...(seconds !== undefined && { seconds }) };
  if ("error" in end) return unfinished(soFar, "ERROR", end.error);
  if ("cancelled" in end)
    return { ...unfinished(soFar, "CANCELLED", cancelled(end.cancelled, settings)), content: heardBy(ledger) };
  const { content, finishReason } = end.answer;
  return { ...unfinished(soFar, "COMPLETED", null), content, finishReason };
}

/** Text of a cancelled run; `null` if there is none. */
export function heardBy({ heard }: Ledger): string | null {
  return heard.length > 0 ? heard.join("") : null;
}

/** What a run has made so far. */
export function unfinished<Status extends ExecutorStatus>(
  { runId, settings, ledger, said, seconds }: SoFar,
  status: Status,
  error: WorkflowError | null,
): ExecutorResult & { readonly status: Status; readonly pause: null } {
  const metrics = usageOf(ledger);
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
