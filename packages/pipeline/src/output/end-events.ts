/** The last events of a run. */

import { factsOf, type RunFacts } from "../attempts/event-facts.js";
import type { EventClock } from "../state/event-clock.js";
import type { RecordedEvent } from "../state/pipeline-state.types.js";
import type { PipelineRunOutput } from "./run-output.types.js";

type Data = Readonly<Record<string, unknown>>;

/** The last event without its common fields. @param reason Reason of a cancelled run. */
export function lastEvents(output: PipelineRunOutput, reason: unknown): readonly RecordedEvent[] {
  const { status, content, error, agentRun } = output;
  if (status === "ERROR")
    return [{ event: "WorkflowError", error: error?.message ?? "", stepName: error?.stepName ?? null }];
  const completed = { event: "WorkflowCompleted", ...completedFields(output) };
  if (status === "CANCELLED") return [{ event: "WorkflowCancelled", status, reason, content }, completed];
  if (agentRun === null || agentRun.query === null || status !== "COMPLETED") return [completed];
  // The agent has run the pipeline and commented on its result.
  return [{ event: "WorkflowAgentCompleted", agentName: agentRun.agentName, content }, completed];
}

function completedFields(output: PipelineRunOutput): Data {
  const { status, content, stepResults, stepExecutorRuns, metrics, metadata } = output;
  const contentType = typeof content === "string" ? "text" : "object";
  return { status, content, contentType, stepResults, stepExecutorRuns, metrics, metadata };
}

export interface EndedRun extends RunFacts {
  /** Index after the earlier events. */
  readonly clock: EventClock;
  /** When the run ended, independent of the time of the read. */
  readonly atMs: number;
}

/** Fields of every event of the run itself, with its time. */
export function baseOf(run: EndedRun): Data {
  return { ...run.clock.next(run.atMs), ...factsOf(run) };
}

/** The last events of a run, as the run itself would have emitted them. */
export function endOf(
  run: EndedRun,
  { output, reason }: { readonly output: PipelineRunOutput; readonly reason: unknown },
): readonly RecordedEvent[] {
  return lastEvents(output, reason).map(({ event, ...fields }) => ({ event, ...baseOf(run), ...fields }));
}
