/**
 * The public surface of `@millrace/executor`: what pipelines and executors, such as the agents of `@millrace/agents`,
 * share. It has one contract, one shape of media and metrics, and one rule for concurrent changes of a session.
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
  ToolAnswer,
  ToolRequirement,
  Values,
} from "./contract/executor.types.js";
export { contextWith, refuseFinish } from "./contract/executor-context.js";
export { callOfQuestion } from "./contract/question.js";

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
} from "./contract/executor-events.types.js";

// ---- media
export { audio, emptyMedia, file, image, mediaOf, mergeMedia, toMediaSet, video } from "./media/media.js";
export type { MediaLists } from "./media/media.js";
export type { Media, MediaFields, MediaKind, MediaSet } from "./media/media.types.js";

// ---- metrics
export { addMetrics, emptyMetrics, givenMetrics, metricsSince, sumMetrics } from "./metrics/metrics.js";
export type { ModelMetricsData, StepMetricsData, UsageDetails } from "./metrics/metrics.types.js";

// ---- values and options
export { mergeValues } from "./values/merge-values.js";
export { historyRuns, userId, userIdPattern } from "./values/option-rules.js";
export { plainCopy, storableCopy } from "./values/plain-copy.js";
export { isContentEvent, isEmptyContent, messageOf, toText } from "./values/text.js";

// ---- session state: JSON, and who may open it
export { assertState, copyJson, fieldOf, isObject, isPlain, sameJson, sortedJson, toPlain } from "./session/json.js";
export type { JsonObject, Key, Path } from "./session/json.js";
export { assertOwner, sessionUnknown } from "./session/owner.js";
export type { SessionState, SharedState } from "./session/session-state.types.js";
export { deepMerge, startState } from "./session/start-state.js";
export type { StartStates } from "./session/start-state.js";

// ---- session state that a run changes
export { editSession, CountingState } from "./session/counting-state.js";
export { LiveSessionState } from "./session/session-state.js";
export type { SessionView } from "./session/session-state.js";

// ---- concurrent changes of a session
export { keepChanges, valueAt, valueNow } from "./session/counted.js";
export type { CountedPaths, EditReads, StoredSession } from "./session/counted.js";
export { recordAtStart } from "./session/list-record.js";
export type { ListRecord } from "./session/list-record.js";
export { mergeStates } from "./session/merge-states.js";
export type { StatesToMerge } from "./session/merge-states.js";
export { diff } from "./session/patches.js";
export type { SessionPatch } from "./session/patches.js";
export { reducerProblems } from "./session/reducers.js";
export type { SessionReducer, SessionReducers } from "./session/reducers.js";
