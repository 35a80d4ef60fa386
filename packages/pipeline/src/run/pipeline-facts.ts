/** Facts that follow from the nodes of a pipeline, at any depth. */
import { type Workflow, WorkflowError } from "millrace";
import type { NestedPipeline } from "../data/step-function.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import type { PipelineOptions } from "./pipeline-options.js";

/**
 * How many earlier runs of its session a run loads: the most that any step may ask for, also in nested pipelines;
 * `null` for all. Each is a read of the store, so 0 when no step asks.
 */
export function historyToLoad(
  { addWorkflowHistoryToSteps, numHistoryRuns, agent }: PipelineOptions,
  nodes: readonly PipelineNode[],
): number | null {
  const steps = nodes.filter((node) => node.kind === "step");
  const ofSteps = steps.filter(({ addHistory }) => addHistory === true).map((step) => step.numHistoryRuns);
  const ofPipeline = addWorkflowHistoryToSteps === true || numHistoryRuns !== undefined;
  const asked = [
    ...(ofPipeline ? [numHistoryRuns ?? null, ...steps.map((step) => step.numHistoryRuns ?? 0)] : []),
    ...ofSteps.map((count) => count ?? numHistoryRuns ?? null),
    ...(agent?.addHistory === true ? [agent.numHistoryRuns] : []),
    ...steps.flatMap(({ executor }) => ("historyCount" in executor ? [(executor as NestedPipeline).historyCount] : [])),
  ];
  return asked.includes(null) ? null : Math.max(0, ...asked.map(Number));
}

/** Workflows among the steps, which run as children of the run. */
export function workflowsOf(nodes: readonly PipelineNode[]): ReadonlyMap<string, Workflow> {
  const found = new Map<string, Workflow>();
  for (const node of nodes) {
    if (node.kind !== "step" || node.executorType !== "workflow") continue;
    const executor = node.executor as Workflow | NestedPipeline;
    const workflow = "isPipeline" in executor ? executor.workflow : executor;
    if (workflow === undefined)
      throw new WorkflowError({
        code: "OPTION_INVALID",
        message: `The step "${node.name}" has an executor that is neither a pipeline nor a workflow.`,
        hint: "Pass a Pipeline, or a workflow of the core.",
      });
    found.set(node.id, workflow);
  }
  return found;
}
