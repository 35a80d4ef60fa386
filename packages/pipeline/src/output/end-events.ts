/** Fields of the last event of a run. */

import type { PipelineIdentity } from "../data/executor.types.js";
import type { EventClock } from "../state/event-clock.js";
import type { RecordedEvent } from "../state/pipeline-state.types.js";
import type { PipelineRunOutput } from "./run-output.types.js";

type Data = Readonly<Record<string, unknown>>;

export function completedFields(output: PipelineRunOutput): Data {
  const { status, content, stepResults, stepExecutorRuns, metrics, metadata } = output;
  const contentType = typeof content === "string" ? "text" : "object";
  return { status, content, contentType, stepResults, stepExecutorRuns, metrics, metadata };
}

/** `null` when no agent has run the pipeline and commented on its result. */
export function agentFields({ agentRun, status, content }: PipelineRunOutput): Data | null {
  if (agentRun === null || agentRun.query === null || status !== "COMPLETED") return null;
  return { agentName: agentRun.agentName, content };
}

export function errorFields({ error }: PipelineRunOutput): Data {
  return { error: error?.message ?? "", stepName: error?.stepName ?? null };
}

interface RunFacts {
  readonly runId: string;
  readonly pipeline: PipelineIdentity;
  readonly sessionId: string;
}

export interface EndedRun extends RunFacts {
  /** Follows what was told before. */
  readonly clock: EventClock;
  /** When the run ended, whoever reads of it and when. */
  readonly atMs: number;
}

/** Fields of every event of the run itself, with its time. */
export function baseOf(run: EndedRun): Data {
  return { ...run.clock.next(run.atMs), ...factsOf(run) };
}

/** Fields that are the same in every event of the run itself. */
export function factsOf({ runId, pipeline, sessionId }: RunFacts): Data {
  const { id: pipelineId, name: pipelineName } = pipeline;
  return { runId, pipelineRunId: runId, pipelineId, pipelineName, sessionId, nestedDepth: 0 };
}

/** Last events of a run that was cancelled from outside. */
export function cancelledEvents(
  run: EndedRun,
  { output, reason }: { readonly output: PipelineRunOutput; readonly reason: unknown },
): readonly RecordedEvent[] {
  const base = baseOf(run);
  return [
    { event: "WorkflowCancelled", ...base, status: output.status, reason, content: output.content },
    { event: "WorkflowCompleted", ...base, ...completedFields(output) },
  ];
}
