/**
 * The public surface of `millrace`.
 *
 * Types that only occur in inferred types are exported, too: without them a user's `.d.ts` cannot name `class Joke
 * extends event(...)` or an exported workflow (TS2742, TS4020).
 *
 * @module
 */

// ---- workflows
export { Workflow } from "./workflow/workflow.js";
export type { WorkflowClass, WorkflowStatics } from "./workflow/workflow.js";
export type { DefinedRun } from "./authoring/trigger.types.js";
export type { ForkState, StepBranch, StepExecutor, StepGroup, StepNote, WorkflowOptions } from "./compile/options.js";
export { defineWorkflow } from "./workflow/workflow.js";
export type { BuildWorkflow, DefinedWorkflow, DefineOptions, WorkflowBuilder } from "./workflow/workflow.js";
export type { StepFacts } from "./authoring/workflow.types.js";
export type { InputOf, ResultOf, StreamOf } from "./authoring/handler.types.js";
export type { StateOf } from "./authoring/trigger.types.js";
export type { IndexValue, InputIndex } from "./authoring/workflow.types.js";
export type { Middleware, StepCall, StepOutput } from "./authoring/workflow.types.js";
export { validateWorkflow } from "./compile/compile.js";
export { describeWorkflow } from "./drawing/describe.js";
export type { GraphEdge, GraphNode, WorkflowDescription } from "./drawing/describe.js";
export type { GraphCheck } from "./authoring/step.types.js";
export type { Finding } from "./engine/definition.js";

// ---- events
export { event } from "./event/event.js";
export type {
  EventBase,
  EventClass,
  EventFacts,
  EventOf,
  EventRole,
  EventShape,
  FieldsArgument,
  WorkflowEvent,
} from "./event/event.js";
export {
  AnswerEvent,
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  JoinIncompleteEvent,
  PiecesEvent,
  QuestionEvent,
  WorkDiscardedEvent,
  StartEvent,
  StepFailedEvent,
  StepRestartedEvent,
  StopEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "./event/built-in-events.js";
export type {
  EngineEvent,
  EngineEventClass,
  FailedInput,
  OpenEvent,
  OpenFields,
  RoleClass,
  RunFailure,
  StepFailure,
  StopEventClass,
} from "./event/built-in-events.js";

// ---- steps
export { step } from "./step/step.js";
export type { GraphMarks, Step, StepDecorator, StepOptions, StepSettings } from "./authoring/step.types.js";
export type { StepReturn } from "./authoring/trigger.types.js";
export type { Finished } from "./authoring/trigger.types.js";
export { collect, join } from "./step/step.js";
export type {
  Collect,
  CollectOptions,
  Join,
  JoinOptions,
  Settled,
  SettledEmpty,
  SettledEvent,
  SettledFailure,
} from "./authoring/trigger.types.js";
export { keyed } from "./event/event.js";
export type { Keyed } from "./event/event.js";
export { catchError } from "./step/step.js";
export type { CatchErrorOptions } from "./authoring/step.types.js";

// ---- runs
export type { DoneBy, PromptAnswer } from "./event/event.types.js";
export type {
  HandlerSendOptions,
  PendingPrompt,
  Receipt,
  ResumeOptions,
  RunOptions,
  RunOutcome,
  StartedRun,
  WorkflowHandler,
} from "./authoring/handler.types.js";
export type { RunStream } from "./stream/run-stream.js";
export type { StreamOptions } from "./stream/run-stream.js";
export type { StreamedEvent } from "./stream/run-stream.js";
export { PieceReader } from "./value/pieces.js";
export type { Piece, WrittenPieces } from "./value/pieces.js";

// ---- context and state
export { Context } from "./workflow/workflow.js";
export type {
  ChildOptions,
  CollectEventsOptions,
  EffectCall,
  EffectOptions,
  RetryState,
  SendOptions,
  Racer,
  Question,
  RaceResult,
  SleepOptions,
  WaitOptions,
} from "./authoring/context.types.js";
export type {
  ContextDict,
  FromDictOptions,
  RunContext,
  SnapshotCodec,
  ToDictOptions,
} from "./authoring/store.types.js";
export type { OpenState, Store, WriteOptions } from "./authoring/store.types.js";

// ---- retry, limits and resources
export { retryIf } from "./retry/retry-policy.js";
export type { ErrorClass, RetryCondition, RetryIf } from "./retry/retry-policy.js";
export { retryPolicy } from "./retry/retry-policy.js";
export type { RetryOptions } from "./retry/retry-policy.js";
export type { RetryInfo, RetryPolicy } from "./retry/retry-policy.js";
export { stop } from "./retry/retry-policy.js";
export type { RetryStop, Stops } from "./retry/retry-policy.js";
export { wait } from "./retry/retry-policy.js";
export type { ExponentialOptions, IncrementingOptions, JitterOptions, RetryWait, Waits } from "./retry/retry-policy.js";
export type { LimitOptions } from "./limit/limiter.js";
export { resource } from "./resource/resource.js";
export type {
  Resolved,
  Resource,
  ResourceMap,
  ResourceOptions,
  ResourceOverride,
  ResourceScope,
} from "./resource/resource.js";

// ---- watching
export type {
  AttemptFacts,
  Inspection,
  InspectionEvents,
  InspectionName,
  RunFacts,
} from "./inspect/inspector.js";
export type { InspectionListener } from "./inspect/inspector.js";
export type { AttemptCall, EffectOfAttempt, StartingRun, Telemetry } from "./inspect/inspector.js";
export type { TraceContext } from "./engine/state.js";

// ---- errors
export { WorkflowError } from "./errors/workflow-error.js";
export type { WorkflowErrorOptions } from "./errors/workflow-error.js";
export { NonRetryableError, RetryAfterError } from "./retry/retry-policy.js";
export type { ErrorCode } from "./errors/catalog.js";
export type { ErrorRecord } from "./value/error-record.js";

// ---- shared
export type { Log } from "./engine/ports.js";
export type { Duration } from "./value/duration.js";
export type { ValueType } from "./value/storable.js";
export type { FieldsOut, ObjectSchema } from "./event/schema.js";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./event/schema.js";
export type { TypeHint } from "./event/event.types.js";

export { many } from "./step/step.js";
export type { Many } from "./authoring/trigger.types.js";
