/**
 * `millrace/runtime`: durable runs. Runs the same workflows over a store; after a crash at any moment, every run is
 * resumed.
 *
 * @module
 */
export { createRuntime } from "./durable/create-runtime.js";
export { recordsOf } from "./durable/records-of.js";
export { memoryStore } from "./durable/memory-store.js";
export type { MemoryStoreOptions } from "./durable/memory-store.js";
export type { DetailedEntry, HistoryEntry, RunForked } from "./durable/history.js";
export type { ChildRun } from "./durable/child-runs.js";
export type { ChangedValue } from "./durable/state-changes.js";
export type { AttemptStatus, AttemptWait, RunAttempt } from "./durable/attempts.js";
export type { PendingDelivery, RunMoment, StepMoment } from "./durable/run-moment.js";
export type { RawHistoryEntry, RawSnapshot } from "./durable/raw-run.js";
export type {
  AttemptsOptions,
  CountFilter,
  DedupeOptions,
  DetailedHistoryOptions,
  DueReport,
  ForkOptions,
  ResumeRunOptions,
  HistoryOptions,
  IdleOptions,
  PostOptions,
  RecordEdit,
  RecordList,
  RecordListQuery,
  RecordValue,
  ListedQueue,
  QueueOptions,
  Retention,
  RunFilter,
  RunHandle,
  RunListing,
  Runtime,
  RuntimeOptions,
  RuntimeRecords,
  RuntimeRunOptions,
  SendOptions,
  StepRecords,
  TenantOptions,
  Workflows,
} from "./durable/runtime.types.js";
export type {
  ScheduleCatchUp,
  ScheduleOverlap,
  RuntimeSchedules,
  Schedule,
  ScheduleList,
  ScheduleOptions,
  ScheduleQuery,
  ScheduleSkip,
} from "./durable/schedule.types.js";
export type {
  ExportedHead,
  ExportedPart,
  ExportedPost,
  ExportedTicks,
  ExportOptions,
  ImportedRun,
  ImportOptions,
} from "./durable/moving.types.js";
export type { CheckProblem, CheckReport } from "./durable/check.types.js";
export type {
  ObservedClaim,
  ObservedCommit,
  ObservedRun,
  ObservedRuntime,
  RuntimeObserver,
  RuntimeTelemetry,
} from "./durable/runtime-observer.types.js";
// ---- the contract of stores
export type * from "./durable/run-store.types.js";
