/**
 * `millrace/runtime`: durable runs. Runs the same workflows over a store; after a crash at any moment, every run is
 * resumed.
 *
 * @module
 */

export type { CheckProblem, CheckReport } from "../durable/api/check.types.js";
export type {
  AttemptStatus,
  AttemptWait,
  CallStatus,
  ChangedValue,
  ChildRun,
  DetailedEntry,
  HistoryEntry,
  MomentOptions,
  PendingDelivery,
  RawHistoryEntry,
  RawSnapshot,
  RunAttempt,
  RunCall,
  RunForked,
  RunMoment,
  StepMoment,
} from "../durable/api/history.types.js";
export type {
  ExportedHead,
  ExportedPart,
  ExportedPost,
  ExportedTicks,
  ExportOptions,
  ImportedRun,
  ImportOptions,
} from "../durable/api/moving.types.js";
export type {
  AttemptsOptions,
  CountFilter,
  DedupeOptions,
  DetailedHistoryOptions,
  DueReport,
  ForkOptions,
  HistoryOptions,
  IdleOptions,
  ListedQueue,
  PostOptions,
  ResumeRunOptions,
  Retention,
  RunFilter,
  RunHandle,
  RunListing,
  Runtime,
  RuntimeRunOptions,
  SendOptions,
  TenantOptions,
  Workflows,
} from "../durable/api/runtime.types.js";
export type {
  ObservedClaim,
  ObservedCommit,
  ObservedRun,
  ObservedRuntime,
  RuntimeObserver,
  RuntimeTelemetry,
} from "../durable/api/runtime-observer.types.js";
export type { QueueOptions, RuntimeOptions } from "../durable/api/runtime-options.types.js";
export type {
  RecordEdit,
  RecordList,
  RecordListQuery,
  RecordValue,
  RuntimeRecords,
  StepRecords,
} from "../durable/api/runtime-records.types.js";
export type {
  RuntimeSchedules,
  Schedule,
  ScheduleCatchUp,
  ScheduleList,
  ScheduleOptions,
  ScheduleOverlap,
  ScheduleQuery,
  ScheduleSkip,
} from "../durable/api/schedule.types.js";
export { createRuntime } from "../durable/create-runtime.js";
export type { MemoryStoreOptions } from "../durable/memory/memory-store.js";
export { memoryStore } from "../durable/memory/memory-store.js";
export { recordsOf } from "../durable/run/records-of.js";
// ---- the contract of stores
export type * from "../durable/store/run-store.types.js";
