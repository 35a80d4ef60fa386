/**
 * `@millrace/pipeline/executor`: what whoever does the work of a step shares with pipelines. For packages that bring executors,
 * such as `@millrace/agents`: one shape of media and metrics, and one rule for a session that two runs change at the same time.
 *
 * @module
 */
// ---- what a step calls
export type {
  ConversationalAgent,
  DecideRequest,
  DecideResult,
  Executor,
  ExecutorPause,
  ExecutorRequest,
  ExecutorResult,
  ExecutorResume,
  RunContext,
  SessionState,
  ToolAnswer,
  ToolRequirement,
} from "./nodes/executor.types.js";

// ---- what goes in and comes out
export { emptyMedia, mergeMedia } from "./data/media.js";
export type { Media, MediaKind, MediaSet } from "./data/media.types.js";
export { addMetrics, emptyMetrics, metricsSince, sumMetrics } from "./data/metrics.js";
export type { ModelMetricsData, StepMetricsData } from "./data/metrics.types.js";
export { mergeValues } from "./data/merge-values.js";
export { isEmptyContent, toText } from "./data/text.js";

// ---- session state
export { copyJson, isObject, toPlain } from "./session/json.js";
export type { JsonObject, Key, Path } from "./session/json.js";
export { mergeStates } from "./session/merge-states.js";
export type { StatesToMerge } from "./session/merge-states.js";
export type { CountedPaths } from "./session/counted.js";
export { CountingState } from "./session/counting-state.js";
export { deepMerge, startState } from "./session/start-state.js";
export type { StartStates } from "./session/start-state.js";
