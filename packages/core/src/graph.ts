/**
 * The public surface of `millrace/graph`: workflows and their runs as data and as drawings.
 *
 * @module
 */
export { describeWorkflow } from "./graph/describe.js";
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
} from "./graph/describe.js";
export { frameBranches } from "./graph/frame-branches.js";
export type { StepExecutor } from "./workflow/options.js";
export { toMermaid } from "./graph/mermaid.js";
export type { MermaidOptions } from "./graph/mermaid.js";
export { traceRuns } from "./graph/trace.js";
export type { AttemptTrace, RunTrace, RunTraces, RunTraceStatus, TracedEvent, TraceOptions } from "./graph/trace.js";
