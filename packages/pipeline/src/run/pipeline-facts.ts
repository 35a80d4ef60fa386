/** What follows from the steps that a pipeline has. */
import { type Workflow, WorkflowError } from "millrace";
import type { PipelineNode, StepNode } from "../nodes/node.types.js";
import type { Pipeline } from "./pipeline.js";
import type { PipelineOptions } from "./pipeline-options.js";

/** Whether runs read what earlier runs of the session were. It costs a read of each of them. */
export function loadsHistory(
  { addWorkflowHistoryToSteps, numHistoryRuns, agent }: PipelineOptions,
  nodes: readonly PipelineNode[],
): boolean {
  if (addWorkflowHistoryToSteps === true || numHistoryRuns !== undefined || agent?.addHistory === true) return true;
  return anyStep(nodes, ({ addHistory }) => addHistory === true);
}

function anyStep(nodes: readonly PipelineNode[], holds: (step: StepNode) => boolean): boolean {
  return nodes.some((node) => (node.kind === "step" ? holds(node) : anyStep(node.children, holds)));
}

/** Steps that are workflows run as children of the run. */
export function workflowsOf(nodes: readonly PipelineNode[]): ReadonlyMap<string, Workflow> {
  const found = new Map<string, Workflow>();
  const visit = (node: PipelineNode): void => {
    if (node.kind !== "step") return node.children.forEach(visit);
    if (node.executorType !== "workflow") return;
    const executor = node.executor as Workflow | Pipeline;
    const workflow = "isPipeline" in executor ? executor.workflow : executor;
    if (workflow === undefined)
      throw new WorkflowError({
        code: "OPTION_INVALID",
        message: `The step "${node.name}" has an executor that is neither a pipeline nor a workflow.`,
        hint: "Give a Pipeline, or a workflow of the core.",
      });
    found.set(node.id, workflow);
  };
  nodes.forEach(visit);
  return found;
}
