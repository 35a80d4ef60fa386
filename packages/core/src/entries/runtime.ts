/**
 * `millrace/runtime`: durable runs. Runs the same workflows over a store; after a crash at any moment, every run is
 * resumed.
 *
 * @module
 */

// Loads what `index` loads: the build then has one file for all of it.
import "../index.js";

export type { CallOverride, ForkEdits, PendingDelivery } from "../replay/fork-run.js";
export type {
  AllowOptions,
  Amounts,
  BudgetOptions,
  BudgetReport,
  Cost,
  DayQuery,
  DaySpending,
  PaidCall,
  PaidOptions,
  RunBudget,
  RuntimeBudgets,
  StepBudget,
  TenantBudget,
  TenantSpending,
} from "../runtime/api/budget.types.js";
export type {
  AttemptStatus,
  AttemptWait,
  AuditAction,
  AuditEntry,
  AuditFilter,
  AuditPage,
  CallStatus,
  ChangedValue,
  CheckProblem,
  CheckReport,
  ChildRun,
  DetailedEntry,
  ExportedHead,
  ExportedPart,
  ExportedPost,
  ExportedTicks,
  ExportOptions,
  HistoryEntry,
  ImportedRun,
  ImportOptions,
  ItemInput,
  MomentOptions,
  RawHistoryEntry,
  RawSnapshot,
  RunAttempt,
  RunCall,
  RunForked,
  RunMoment,
  RuntimeAudit,
  StepMoment,
} from "../runtime/api/history.types.js";
export type {
  CountedTime,
  FailureFilter,
  FailureGroup,
  Failures,
  Figures,
  Histogram,
  HistogramFilter,
  PeriodFigures,
  QueueLimitChange,
  QueueLimitsShown,
  QueuePosition,
  QueueState,
  RuntimeQueues,
  RuntimeStatistics,
  RuntimeWorkers,
  Statistics,
  StatisticsFilter,
  StepFigures,
  WorkerState,
  WorkflowFigures,
} from "../runtime/api/operate.types.js";
export type {
  BulkAction,
  BulkCounts,
  BulkOptions,
  BulkProblem,
  BulkResult,
  BulkSelection,
  BulkWhere,
  MatchOptions,
  RunMatches,
} from "../runtime/api/run-filter.types.js";
export type {
  AnswerOptions,
  AttemptsOptions,
  CallerOptions,
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
} from "../runtime/api/runtime.types.js";
export type {
  ObservedClaim,
  ObservedCommit,
  ObservedRun,
  ObservedRuntime,
  QueueOptions,
  RuntimeObserver,
  RuntimeOptions,
  RuntimeTelemetry,
} from "../runtime/api/runtime-options.types.js";
export type {
  RecordEdit,
  RecordList,
  RecordListQuery,
  RecordName,
  RecordValue,
  RuntimeRecords,
  StepRecords,
} from "../runtime/api/runtime-records.types.js";
export type {
  RuntimeSchedules,
  Schedule,
  ScheduleCatchUp,
  ScheduleChangeOptions,
  ScheduleEdit,
  ScheduleEdited,
  ScheduleList,
  ScheduleOptions,
  ScheduleOverlap,
  ScheduleQuery,
  ScheduleSkip,
  ScheduleStart,
} from "../runtime/api/schedule.types.js";
export { BudgetReachedEvent, budgetOf, budgetReached, withinBudget } from "../runtime/budget/budgets.js";
export { recordsOf } from "../runtime/client/stored-records.js";
export { createRuntime } from "../runtime/create-runtime.js";
export type { MemoryStoreOptions } from "../runtime/memory/memory-store.js";
export { memoryStore } from "../runtime/memory/memory-store.js";
export { type EncryptionOptions, encryptedStore } from "../runtime/store/encrypted-store.js";
// ---- the contract of stores
export type * from "../runtime/store/run-store.types.js";
export type { StoreKey } from "../runtime/store/text-cipher.js";
