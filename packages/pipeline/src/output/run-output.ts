/** Makes the output of a run from its stored state. */

import { mediaOf, type SessionState } from "@millrace/executor";
import { contentOfSteps, hasRun } from "../data/deepest-content.js";
import { defined } from "../data/defined.js";
import { hasFailed } from "../data/interrupted.js";
import type { PipelineIdentity } from "../data/step-function.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepRequirement } from "../human/requirement.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import { inOrder } from "../state/event-clock.js";
import type { PipelineState } from "../state/pipeline-state.types.js";
import { interruptedIn, isOver, metricsOf } from "./run-metrics.js";
import type { PipelineRunOutput, PipelineStatus } from "./run-output.types.js";
import { stepResults } from "./step-results.js";

export interface RunFacts {
  readonly runId: string;
  readonly pipeline: PipelineIdentity;
  readonly tree: PipelineTree;
  readonly state: PipelineState;
  readonly status: PipelineStatus;
  /** Session state that is stored with the run. */
  readonly sessionState: Readonly<SessionState>;
  readonly nowMs: number;
  readonly requirements?: readonly StepRequirement[];
  /** Content as the output schema returns it. @default the content of the steps */
  readonly content?: unknown;
}

export function runOutput(facts: RunFacts): PipelineRunOutput {
  const { runId, pipeline, tree, state, status, sessionState, requirements = [] } = facts;
  const { request, failure } = state;
  const results = stepResults(state, tree);
  const inside = Object.values(interruptedIn(facts));
  const known: Omit<PipelineRunOutput, "input" | "content"> = {
    runId,
    pipelineId: pipeline.id,
    pipelineName: pipeline.name,
    sessionId: request.sessionId,
    userId: request.userId,
    status,
    stepResults: results,
    hasFailures: status === "ERROR" || results.some(hasFailed),
    error: errorOf(failure),
    cancelReason: failure?.isCancelled === true ? failure.message : null,
    metadata: request.metadata,
    sessionState,
    ...mediaOf([request.media, ...results]),
    metrics: metricsOf(facts),
    stepExecutorRuns: [...state.executorRuns, ...inside.flatMap(({ executorRuns }) => executorRuns)],
    events: inOrder(state.events),
    agentRun: state.agentRun,
    requirements,
    answered: [...state.answered, ...inside.flatMap(({ answered }) => answered)],
    createdAt: Math.floor(state.startedAtMs / 1000),
    ...(isOver.has(status) && { endedAtMs: facts.nowMs }),
  };
  const content = "content" in facts ? facts.content : contentOf(facts, results);
  return { ...known, ...defined("input", request.input), ...defined("content", content) } as PipelineRunOutput;
}

function errorOf(failure: PipelineState["failure"]): PipelineRunOutput["error"] {
  if (failure === null || failure.isCancelled) return null;
  const { isCancelled: _, ...error } = failure;
  return error;
}

type ContentFacts = Pick<RunFacts, "state" | "runId" | "status" | "tree">;

/** Content of a run: that of its last step, unless the run has failed, was cancelled, or its agent has answered. */
export function contentOf(
  { state, runId, status, tree }: ContentFacts,
  results: readonly StepOutput[] = stepResults(state, tree),
): unknown {
  const { failure, agentRun } = state;
  if (failure !== null) return failure.isCancelled ? failure.message : `Pipeline execution failed: ${failure.message}`;
  if (status === "CANCELLED") return `Run ${runId} was cancelled`;
  if (agentRun !== null && agentRun.query === null) return agentRun.content;
  if (results.some(hasRun)) return contentOfSteps(results);
  return status === "COMPLETED" ? "No steps executed" : undefined;
}
