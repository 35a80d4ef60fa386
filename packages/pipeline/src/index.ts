/**
 * The public surface of `@millrace/pipeline`.
 *
 * @module
 */
// ---- pipelines and what they are made of
export { Pipeline } from "./run/typed-pipeline.js";
export type { PipelineConstructor } from "./run/typed-pipeline.js";
export type { HandleOptions, PipelineOptions, PipelineRunOptions, RunQuery } from "./run/pipeline-options.js";
export type { ContinueOptions, RequirementAnswer } from "./run/continue-run.js";
export type { RunPage } from "./run/pipeline.js";
export { PipelineRun } from "./run/pipeline-run.js";
export type {
  OwnEvent,
  PipelineEvent,
  PipelineEventFacts,
  PipelineEventName,
  PipelineEventOf,
} from "./output/pipeline-event.types.js";
export type { PipelineRunError } from "./state/pipeline-state.types.js";
export type { PipelineRunOutput, PipelineStatus, TypedOutput } from "./output/run-output.types.js";
export { Step } from "./nodes/step.js";
export type { ErrorPolicy, StepExecutor, StepOptions } from "./nodes/step.js";
export { Condition, Loop, Parallel, Router, Steps } from "./nodes/containers.js";
export type {
  Choice,
  ConditionOptions,
  EndCondition,
  Evaluator,
  LoopOptions,
  MergeStates,
  ParallelOptions,
  RouterOptions,
  Selection,
  Selector,
  StepLike,
  StepObject,
  StepsOptions,
} from "./nodes/containers.js";
export type { ContentOf, ContentsBefore, ContentsOf, HasContents, NamedContent } from "./nodes/contents.types.js";
export type { SessionState, SharedState } from "@millrace/executor";
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
} from "@millrace/executor";
export type { AnyStepFunction, CoreWorkflow, PipelineLike, StepFunction } from "./data/step-function.types.js";
export type { SessionReducer, SessionReducers } from "@millrace/executor";
// ---- people
export { StepRequirement } from "./human/requirement.js";
export type { HumanReview, OnReject, OnTimeout } from "./human/human-review.types.js";
export type {
  AnsweredRequirement,
  HumanDecision,
  RequirementData,
  RequirementKind,
} from "./human/requirement.types.js";
export type { UserInputField } from "./human/human-review.types.js";
// ---- inputs and outputs of steps
export { StepInput } from "./data/step-input.js";
export { stepOutput } from "./data/step-output.js";
export type { StepOutputFields } from "./data/step-output.js";
export type { StepOutput, StepType } from "./data/step-output.types.js";
export type { ExecutorType } from "./data/metrics.types.js";
export { audio, file, image, video } from "@millrace/executor";
export type { Media, MediaFields, MediaKind, MediaLists, MediaSet, StepMetricsData } from "@millrace/executor";
export type { ExecutorRun } from "./data/executor-run.types.js";
export type { RunMetricsData, SessionMetricsData, StepExecutionData, StepMetrics } from "./data/metrics.types.js";
export type { HumanInput, RetryFeedback } from "./data/message.js";
export type { AgentRunRecord, RecordedEvent } from "./state/pipeline-state.types.js";
// ---- for programs that show outputs
export { INTERRUPTED } from "./data/interrupted.js";
export { hasRun, isGroup } from "./data/deepest-content.js";
// ---- sessions
export type { SessionNaming, SessionPage, SessionQuery, SessionStore } from "./session/session-store.js";
export type { SessionRecord, SessionRun } from "./session/session-record.js";
// ---- for runs of `pipeline.workflow` in a runtime of your own
export { PipelineCancel } from "./plan/pipeline-events.js";
export { HumanAnswer, HumanPrompt } from "./plan/pipeline-events.js";
export type { PipelineCancelEvent } from "./plan/pipeline-events.js";
export type { HumanAnswerEvent, HumanPromptEvent } from "./plan/pipeline-events.js";
