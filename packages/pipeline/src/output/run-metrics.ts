/** Metrics of a run, from its stored state. */

import { emptyMetrics, sumMetrics } from "@millrace/executor";
import { agentExecution, executionsOf, runMetrics } from "../data/metrics.js";
import type { RunMetricsData, StepExecutionData } from "../data/metrics.types.js";
import { wholeOutputs } from "../state/group-output.js";
import type { DiscardedExecution, OwnState, PipelineState } from "../state/pipeline-state.types.js";
import type { PipelineStatus } from "./run-output.types.js";

interface MetricFacts {
  readonly state: PipelineState;
  readonly status: PipelineStatus;
  readonly nowMs: number;
}

export const isOver: ReadonlySet<PipelineStatus> = new Set(["COMPLETED", "ERROR", "CANCELLED"]);

/** Nested runs that were at work when the run ended. */
export function interruptedIn({ state, status }: Pick<MetricFacts, "state" | "status">): Nested {
  return isOver.has(status) ? (state.nested ?? {}) : {};
}

export function metricsOf({ state, status, nowMs }: MetricFacts): RunMetricsData {
  const nested = interruptedIn({ state, status });
  const interrupted = Object.keys(nested).filter((runId) => !(parentOf(nested, runId) in nested));
  const executions = [...executionsIn(state), ...interrupted.flatMap((runId) => interruptedRun(nested, runId))];
  return runMetrics(executions, (nowMs - state.startedAtMs) / 1000);
}

type Nested = Readonly<Record<string, OwnState>>;

function parentOf(nested: Nested, runId: string): string {
  return nested[runId]?.request.nesting?.parentRunId ?? "";
}

/** A nested run that was at work when the enclosing run ended, as an execution of its step. */
function interruptedRun(nested: Nested, runId: string): StepExecutionData[] {
  const nesting = nested[runId]?.request.nesting ?? null;
  if (nesting === null) return [];
  const steps = executionsInside(nested, runId);
  const metrics = sumMetrics(steps.map((step) => step.metrics)) ?? emptyMetrics;
  return [{ ...nesting.parentStep, metrics, success: false, steps }];
}

/** Executions of a nested run so far. */
export function executionsInside(nested: Nested, runId: string): StepExecutionData[] {
  const part = nested[runId];
  if (part === undefined) return [];
  const inside = Object.keys(nested).filter((id) => parentOf(nested, id) === runId);
  return [...executionsIn(part), ...inside.flatMap((id) => interruptedRun(nested, id))];
}

/** Executions of everything that has run, also in groups under way. */
function executionsIn({ frames, discarded, agentRun, reviews }: OwnState): StepExecutionData[] {
  const outputs = Object.values(frames).flatMap((frame) => wholeOutputs(frame.outputs));
  const agent = agentRun?.metrics ? [agentExecution(agentRun.agentName, agentRun.metrics)] : [];
  return [...agent, ...executionsOf(outputs), ...discarded.map(executionOfDiscarded), ...waitingOf(reviews)];
}

function executionOfDiscarded({ visit: _, outputs: __, ...execution }: DiscardedExecution): StepExecutionData {
  return execution;
}

/** Executions behind open questions: of paused executors, and outputs that their group does not have yet. */
function waitingOf(talks: OwnState["reviews"]): readonly StepExecutionData[] {
  return Object.values(talks).flatMap(({ paused, question }) => [
    ...(paused === null ? [] : [paused]),
    ...((question?.kind === "outputReview" || question?.kind === "error") && question.output !== null
      ? executionsOf([question.output])
      : []),
  ]);
}
