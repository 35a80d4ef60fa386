/**
 * The public surface of `@millrace/client`.
 *
 * @module
 */

// ---- clients
export { createClient } from "./create-client.js";
export type { CallOptions, KeyedOptions, RunLabels } from "./call.types.js";
export type { Client, ClientOptions, DedupeOptions, RunOptions } from "./client.types.js";
export type {
  AttemptsOptions,
  ChildRun,
  ForkOptions,
  HistoryEntry,
  HistoryOptions,
  HistoryTick,
  ItemInput,
  MomentOptions,
  PendingDelivery,
  RunMoment,
} from "./history.types.js";
export type { EachRunFilter, ListedStatus, RunFilter, RunListChange, RunPage, RunSelection } from "./run-list.types.js";
export type { CancelOptions } from "./run.types.js";
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
export type { QueueTicket } from "./call.types.js";
export type { RunOf } from "./client.types.js";
export type { BulkOptions, BulkWhere, MatchOptions } from "./run-list.types.js";
export type {
  ClientRun,
  PendingPrompt,
  RunOutcome,
  RunQueue,
  RunSummary,
  SendOptions,
  SentEvent,
  StreamedEvent,
  StreamOptions,
} from "./run.types.js";

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
