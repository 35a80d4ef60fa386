/**
 * The public surface of `@millrace/workflow-core`: that of `@llamaindex/workflow-core` 1.3.4. It does not grow.
 *
 * @module
 */
export type { Handler, InheritanceTransformer, WorkflowContext } from "./context.js";
export { extendContext, getContext } from "./context.js";
export type {
  InferWorkflowEventData,
  OrEvent,
  WorkflowEvent,
  WorkflowEventConfig,
  WorkflowEventData,
} from "./event.js";
export { eventSource, isWorkflowEvent, isWorkflowEventData, or, workflowEvent } from "./event.js";
export { WorkflowStream } from "./stream.js";
export type { Workflow } from "./workflow.js";
export { createWorkflow } from "./workflow.js";
