import type { WorkflowGraphData } from "../../api/contract.types.js";

/** Steps that a pipeline adds to those that were written: its graph does not show them. */
export function innerSteps(graph: WorkflowGraphData | null): (step: string) => boolean {
  if (graph === null || (graph.groups === undefined && !graph.nodes.some(({ name }) => name.startsWith("pipeline."))))
    return () => false;
  const shown = new Set(graph.nodes.filter(({ kind }) => kind === "step").map(({ name }) => name));
  return (step) => !shown.has(step);
}
