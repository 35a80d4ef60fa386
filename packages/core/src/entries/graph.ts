/**
 * The public surface of `millrace/graph`: workflows and their runs as data and as drawings.
 *
 * @module
 */

// Loads what `index` loads: the build then has one file for all of it.
import "../index.js";

export type { StepExecutor } from "../compile/options.js";
export type {
  EdgeKind,
  EventNode,
  GraphBranch,
  GraphEdge,
  GraphGroup,
  GraphNode,
  OutsideNode,
  ResourceNode,
  StepNode,
  WorkflowDescription,
} from "../drawing/describe.js";
export { describeWorkflow } from "../drawing/describe.js";
export type { MermaidOptions } from "../drawing/mermaid.js";
export { toMermaid } from "../drawing/mermaid.js";
export type {
  LeftOf,
  Outline,
  OutlineEdge,
  OutlineGroup,
  OutlineNode,
  OutlinePerson,
  OutlineSource,
  OutlineStep,
} from "../drawing/pipeline-outline.js";
export { branchOrder, isPipelineGraph, outlineOf, titleOfGroup } from "../drawing/pipeline-outline.js";
export type { AttemptTrace, RunTrace, RunTraceStatus, RunTraces, TracedEvent, TraceOptions } from "../drawing/trace.js";
export { traceRuns } from "../drawing/trace.js";
