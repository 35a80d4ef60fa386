/** A pipeline as a step: a child of the run, on the same store. See `run-state.ts`. */

import { sumMetrics } from "@millrace/executor";
import { WorkflowError } from "millrace";
import { defined } from "../data/defined.js";
import { toOutput } from "../data/function-result.js";
import { executionsOf } from "../data/metrics.js";
import type { NestedPipeline } from "../data/step-function.types.js";
import { createOutput } from "../data/step-output.js";
import { pipelineFailed, storedOutput } from "../output/pipeline-failed.js";
import { executionsInside } from "../output/run-metrics.js";
import type { PipelineRunOutput } from "../output/run-output.types.js";
import { stepResults } from "../output/step-results.js";
import { treeOf } from "../plan/pipeline-tree.js";
import { markTrusted } from "../plan/trusted-request.js";
import type { OwnState, RunRequest } from "../state/pipeline-state.types.js";
import { childTimeout, isTimeout, runChild, stepTimedOut } from "./child-run.js";
import { leftBehind } from "./ended-state.js";
import type { Executed, Execution } from "./execution.types.js";
import { executorRun } from "./executor-request.js";
import type { StepWork } from "./step-work.js";

export async function runNested(
  execution: Execution,
  { nested, message, work }: { readonly nested: NestedPipeline; readonly message: unknown; readonly work: StepWork },
): Promise<Executed> {
  const { context, events, notes, node, plan } = execution;
  const input = { request: markTrusted({ ...requestOf(execution, message), given: null }) };
  const child = { workflow: nested.workflow, input, store: "shared" } as const;
  const ended = await runChild(execution, child).catch((error: unknown) =>
    failedResult(execution, error, { nested, work }),
  );
  const output = ended as PipelineRunOutput;
  execution.attempt.beginStoring(); // from here on the end of the run leaves the nested run to this attempt
  execution.live.forgetNested(output.runId);
  events.adopt(output.events);
  notes.answered.push(...output.answered);
  if (output.status === "CANCELLED") return { status: "cancelled", why: String(output.content) };
  if (plan.keepsExecutorRuns) {
    const own = executorRun(node, { result: output, parentRunId: context.runId });
    notes.executorRuns.push(...output.stepExecutorRuns, own);
  }
  const result = toOutput(output);
  const executions = Object.values(output.metrics.steps).flatMap((step) => step.executions);
  // What was done until it failed counts, and the step that it is of may try again.
  if (output.status === "ERROR") {
    work.metrics = result.metrics;
    work.steps = executions;
    work.outputs = output.stepResults;
    throw pipelineFailed(output);
  }
  const steps = output.stepResults;
  const hasMore = executions.length > executionsOf(steps).length;
  // That it stopped early is its own business.
  return { status: "done", output: createOutput({ ...result, stop: false, steps, ...(hasMore && { executions }) }) };
}

/**
 * Resolves to the output of a nested run that has failed.
 *
 * @throws The error of a run without an output: its time was up, or it could not begin. Its effects count anyway.
 */
async function failedResult(
  execution: Execution,
  error: unknown,
  { nested, work }: { readonly nested: NestedPipeline; readonly work: StepWork },
): Promise<PipelineRunOutput> {
  if (!WorkflowError.is(error, "CHILD_FAILED")) throw error;
  const runId = String(error.details["runId"]);
  const root = await leftBehind(execution, runId);
  const part = root.nested[runId];
  const output = storedOutput(part ?? {});
  if (output !== null) return output;
  work.steps = executionsInside(root.nested, runId);
  work.metrics = sumMetrics(work.steps.map(({ metrics }) => metrics));
  const tree = treeOf(nested.workflow);
  if (part !== undefined && tree !== null) work.outputs = stepResults(part, tree);
  for (const [id, inside] of Object.entries(root.nested))
    if (id === runId || id.startsWith(`${runId}/`)) keepPart(execution, inside);
  throw isTimeout(error, execution) ? stepTimedOut(execution) : (error.cause ?? error);
}

function keepPart({ plan, events, notes }: Execution, part: OwnState): void {
  events.adopt(part.events);
  notes.answered.push(...part.answered);
  if (plan.keepsExecutorRuns) notes.executorRuns.push(...part.executorRuns);
}

function requestOf(execution: Execution, message: unknown): RunRequest {
  const { context, input, events, node, visit, place } = execution;
  const { input: _, ...request } = execution.state.request;
  const { images, videos, audio, files } = input;
  const { nesting } = request;
  return {
    ...request,
    ...defined("input", message),
    media: { images, videos, audio, files },
    nesting: {
      depth: (nesting?.depth ?? 0) + 1,
      rootRunId: nesting?.rootRunId ?? context.runId,
      parentStepId: node.id,
      parentStep: { stepName: node.name, executorType: node.executorType, executorName: node.executorName },
      parentRunId: context.runId,
      parentVisit: visit,
      parentPlace: place,
      timeoutMs: childTimeout(execution),
      storesEvents: events.keeps,
    },
  };
}
