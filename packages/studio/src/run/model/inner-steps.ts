import type { WorkflowGraphData } from "../../api/contract.types.js";
import { pipelineDrawingOf } from "../../graph/draw-pipeline.js";

/**
 * Steps that a pipeline adds to those that were written, and that its drawing does not show either. The one that asks a person stays:
 * its wait is what a reader looks for.
 */
export function innerSteps(graph: WorkflowGraphData | null): (step: string) => boolean {
  const drawing = graph === null ? null : pipelineDrawingOf(graph);
  if (drawing === null) return () => false;
  const shown = new Set(drawing.nodes.filter(({ kind }) => kind === "step").map(({ name }) => name));
  return (step) => !shown.has(step) && !step.endsWith(": ask");
}
