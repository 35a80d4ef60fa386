/**
 * The public surface of `@millrace/client`.
 *
 * @module
 */

// ---- clients
export { createClient } from "./create-client.js";
export type {
  AttemptsOptions,
  AttemptWait,
  CallOptions,
  CancelOptions,
  ChildRun,
  Client,
  ClientOptions,
  DedupeOptions,
  EachRunFilter,
  ForkOptions,
  HistoryEntry,
  HistoryOptions,
  JsonSchema,
  KeyedOptions,
  ListedStatus,
  RunAttempt,
  RunFilter,
  RunLabels,
  RunMoment,
  RunOptions,
  RunPage,
  RunSelection,
  WorkflowGraph,
} from "./client.types.js";
export type { RetryOptions } from "./http/backoff.js";
export type { HeadersGiven, HeadersSource } from "./http/transport.js";
export type { AttemptStatus, ChangedValue, HistoryTick, StepCounts } from "./wire/contract.types.js";

// ---- runs
export type {
  ClientRun,
  PendingPrompt,
  QueueTicket,
  RunOf,
  RunOutcome,
  RunQueue,
  RunSummary,
  SendOptions,
  SentEvent,
  StreamedEvent,
  StreamOptions,
} from "./client.types.js";

// ---- schedules
export type {
  ClientSchedules,
  Schedule,
  ScheduleFilter,
  ScheduleOptions,
  SchedulePage,
} from "./schedules.types.js";

// ---- what the workflows say
export type {
  ClientEvent,
  ClientInput,
  ClientResult,
  ClientShown,
  EventClasses,
  EventData,
  Flows,
  SomeEvent,
} from "./inferred.types.js";

// ---- errors
export { ClientError, WorkflowError } from "./client-error.js";
export type { ClientErrorCode, ClientErrorOptions } from "./client-error.js";
