/** What a run has come to, from what its store holds. */
import { ROOT } from "../compile/advance.js";
import { mediaOf } from "../compile/media-of.js";
import type { PipelineState } from "../compile/pipeline-state.types.js";
import type { PipelineIdentity } from "../compile/run-context.js";
import { deepestContent, hasRun } from "../data/deepest-content.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { PipelineRunOutput, PipelineStatus } from "./run-output.types.js";

export interface RunFacts {
  readonly runId: string;
  readonly pipeline: PipelineIdentity;
  readonly state: PipelineState;
  readonly status: PipelineStatus;
  /** The session state that is stored with it. */
  readonly sessionState: Readonly<Record<string, unknown>>;
}

export function runOutput({ runId, pipeline, state, status, sessionState }: RunFacts): PipelineRunOutput {
  const { request, failure } = state;
  const stepResults = (state.frames[ROOT]?.outputs ?? []).filter((output) => output !== null);
  return {
    runId,
    pipelineId: pipeline.id,
    pipelineName: pipeline.name,
    sessionId: request.sessionId,
    userId: request.userId,
    status,
    input: request.input,
    content: contentOf(stepResults, state),
    stepResults,
    hasFailures: stepResults.some(hasFailed),
    error: failure,
    metadata: request.metadata,
    sessionState,
    ...mediaOf([request.media, ...stepResults]),
  };
}

function contentOf(stepResults: readonly StepOutput[], { failure }: PipelineState): unknown {
  if (failure !== null) return `Pipeline execution failed: ${failure.message}`;
  const last = stepResults.findLast(hasRun);
  return last === undefined ? "No steps executed" : deepestContent(last);
}

function hasFailed({ success, steps }: StepOutput): boolean {
  return !success || steps.some(hasFailed);
}
