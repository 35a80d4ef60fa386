/**
 * The public surface of `@millrace/client`.
 *
 * @module
 */

// ---- clients
export { createClient } from "./create-client.js";
export type {
  AttemptsOptions,
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
  HistoryTick,
  KeyedOptions,
  ListedStatus,
  ItemInput,
  MomentOptions,
  PendingDelivery,
  RunFilter,
  RunLabels,
  RunListChange,
  RunMoment,
  RunOptions,
  RunPage,
  RunSelection,
} from "./client.types.js";
export type { RetryOptions } from "./http/backoff.js";
export type { HeadersGiven, HeadersSource } from "./http/transport.js";
export type {
  AttemptStatus,
  AttemptWait,
  AuditAction,
  BulkAction,
  BulkCounts,
  BulkProblem,
  BulkResult,
  CallStatus,
  ChangedValue,
  RunAttempt,
  RunCall,
  RunMatches,
  StepMoment,
} from "millrace/runtime";

// ---- the server
export type { Deed } from "millrace/wire";
export type {
  AuditEntry,
  AuditFilter,
  AuditPage,
  ClientFacts,
  CountFilter,
  EventUse,
  JsonSchema,
  RunCounts,
  ServerConfig,
  Session,
  SessionDetails,
  SessionFilter,
  SessionPage,
  SessionRun,
  ShownEventRole,
  StepSource,
  WorkflowDetails,
  WorkflowGraph,
} from "./about.types.js";
export type {
  ClientStatistics,
  FailureFilter,
  Histogram,
  HistogramFilter,
  StatisticsFilter,
  StatusCounts,
} from "./statistics.types.js";

export type {
  CountedTime,
  FailureGroup,
  Failures,
  Figures,
  PeriodFigures,
  Statistics,
  StepFigures,
  WorkflowFigures,
} from "millrace/runtime";

// ---- runs
export type {
  BulkOptions,
  BulkWhere,
  ClientRun,
  MatchOptions,
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
