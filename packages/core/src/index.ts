/**
 * The public surface of `millrace`.
 *
 * Types that only show up inside inferred types are exported too: without them a user's own `.d.ts` cannot name
 * `class Joke extends event(...)` or an exported workflow (TS2742, TS4020).
 *
 * @module
 */

// ---- context and state
export { Context } from "./context/context.js";
export type {
  ChildOptions,
  CollectEventsOptions,
  ContextDict,
  EffectCall,
  FromDictOptions,
  RetryState,
  RunContext,
  SendOptions,
  SleepOptions,
  SnapshotCodec,
  ToDictOptions,
  WaitOptions,
} from "./context/context.types.js";
export type { OpenState, Store, WriteOptions } from "./context/store.types.js";
// ---- shared
export type { Log } from "./engine/ports.js";
export type { ErrorCode } from "./errors/catalog.js";
export type { ErrorRecord } from "./errors/error-record.js";
export { NonRetryableError, RetryAfterError } from "./errors/retry-errors.js";
export type { WorkflowErrorOptions } from "./errors/workflow-error.js";
// ---- errors
export { WorkflowError } from "./errors/workflow-error.js";
export type {
  EngineEvent,
  EngineEventClass,
  OpenEvent,
  OpenFields,
  RoleClass,
  RunFailure,
  StepFailure,
  StopEventClass,
} from "./event/built-in-events.js";
export {
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  JoinIncompleteEvent,
  StartEvent,
  StepFailedEvent,
  StepRestartedEvent,
  StopEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "./event/built-in-events.js";
export type {
  EventBase,
  EventClass,
  EventFacts,
  EventRole,
  EventShape,
  FieldsArgument,
  WorkflowEvent,
} from "./event/event.js";
// ---- events
export { event } from "./event/event.js";
export type { ObjectSchema } from "./event/schema.js";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./event/standard-schema.js";
export type { TypeHint } from "./event/type-hint.js";
// ---- watching
export type { AttemptFacts, InspectionEvents, InspectionName, RunFacts } from "./inspect/inspection-events.js";
export type { InspectionListener } from "./inspect/inspector.js";
export type { LimitOptions } from "./limit/limiter.js";
export type {
  Resolved,
  Resource,
  ResourceMap,
  ResourceOptions,
  ResourceOverride,
  ResourceScope,
} from "./resource/resource.js";
export { resource } from "./resource/resource.js";
export type { ErrorClass, RetryCondition, RetryIf } from "./retry/retry-if.js";
// ---- retry, limits and resources
export { retryIf } from "./retry/retry-if.js";
export type { RetryInfo, RetryOptions, RetryPolicy } from "./retry/retry-policy.js";
export { retryPolicy } from "./retry/retry-policy.js";
export type { RetryStop, Stops } from "./retry/stop.js";
export { stop } from "./retry/stop.js";
export type { ExponentialOptions, IncrementingOptions, JitterOptions, RetryWait, Waits } from "./retry/wait.js";
export { wait } from "./retry/wait.js";
// ---- runs
export type {
  HandlerSendOptions,
  PendingPrompt,
  Receipt,
  ResumeOptions,
  RunOptions,
  RunOutcome,
  WorkflowHandler,
} from "./run/handler.types.js";
export type { CatchErrorOptions } from "./step/catch-error.js";
export { catchError } from "./step/catch-error.js";
export type { Keyed } from "./step/keyed.js";
export { keyed } from "./step/keyed.js";
export type { GraphMarks, Step, StepDecorator, StepOptions, StepSettings } from "./step/step.js";
// ---- steps
export { step } from "./step/step.js";
export type { StepReturn } from "./step/step-return.types.js";
export type {
  Collect,
  CollectOptions,
  Join,
  JoinOptions,
  Settled,
  SettledEmpty,
  SettledEvent,
  SettledFailure,
} from "./step/trigger.js";
export { collect, join } from "./step/trigger.js";
export type { StreamOptions } from "./stream/event-stream.js";
export type { RunStream } from "./stream/run-stream.js";
export type { StreamedEvent } from "./stream/streamed-event.js";
export type { Duration } from "./value/duration.js";
export type { ValueType } from "./value/plain.js";
export { validateWorkflow } from "./workflow/compile.js";
export type { BuildWorkflow, DefinedWorkflow, DefineOptions, WorkflowBuilder } from "./workflow/define-workflow.js";
export { defineWorkflow } from "./workflow/define-workflow.js";
export type { StepFacts } from "./workflow/graph.types.js";
export type { Middleware, StepCall, StepOutput } from "./workflow/middleware.types.js";
export type { WorkflowOptions } from "./workflow/options.js";
export type { InputOf, ResultOf, StateOf, StreamOf } from "./workflow/run.types.js";
export type { DefinedRun, WorkflowClass, WorkflowStatics } from "./workflow/workflow.js";
// ---- workflows
export { Workflow } from "./workflow/workflow.js";
