/**
 * `@millrace/pipeline/executor`: what executors share with pipelines, for packages that provide executors, such as
 * `@millrace/agents`. It has one shape of media and metrics, and one rule for concurrent changes of a session.
 *
 * @module
 */
// ---- what a step calls
export type {
  CallOfStep,
  ConversationalAgent,
  DecideRequest,
  DecideResult,
  EditOptions,
  Executor,
  ExecutorMember,
  ExecutorRequest,
  ExecutorResult,
  RunContext,
  SessionState,
  ToolAnswer,
  ToolRequirement,
} from "./data/executor.types.js";

// ---- events of an executor
export type {
  EventFacts,
  ExecutorEvent,
  ExecutorPause,
  RunCancelledEvent,
  RunCompletedEvent,
  RunContentEvent,
  RunContinuedEvent,
  RunErrorEvent,
  RunPausedEvent,
  RunStartedEvent,
  ToolCallCompletedEvent,
  ToolCallStartedEvent,
  ToolExecution,
} from "./data/executor-events.types.js";

// ---- the options of what users make
export { anything, checkOptions, list, wholeNumber } from "millrace/engine";
export type { Rule, Rules } from "millrace/engine";
export { historyRuns, userId } from "./human/option-rules.js";

// ---- what goes in and comes out
export { emptyMedia, mergeMedia } from "./data/media.js";
export type { Media, MediaKind, MediaSet } from "./data/media.types.js";
export { addMetrics, emptyMetrics, metricsSince, sumMetrics } from "./data/metrics.js";
export type { ModelMetricsData, StepMetricsData } from "./data/metrics.types.js";
export { mergeValues } from "./data/merge-values.js";
export { isEmptyContent, toText } from "./data/text.js";

// ---- what outputs of steps are, for packages that show them
export { CUT_OFF } from "./data/cut-off.js";
export { hasRun, isGroup } from "./data/deepest-content.js";

// ---- session state
export { copyJson, isObject, toPlain } from "./session/json.js";
export type { JsonObject, Key, Path } from "./session/json.js";
export { mergeStates } from "./session/merge-states.js";
export type { StatesToMerge } from "./session/merge-states.js";
export type { CountedPaths } from "./session/counted.js";
export { CountingState } from "./session/counting-state.js";
export { assertOwner } from "./session/session-record.js";
export { deepMerge, startState } from "./session/start-state.js";
export type { StartStates } from "./session/start-state.js";
