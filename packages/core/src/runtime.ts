/**
 * `millrace/runtime`: durable runs. The same workflows over a store; after a crash at any moment, every run goes on.
 *
 * @module
 */
export { createRuntime } from "./runtime/create-runtime.js";
export { recordsOf } from "./runtime/records-of.js";
export { memoryStore } from "./runtime/memory-store.js";
export type { MemoryStoreOptions } from "./runtime/memory-store.js";
export type { HistoryEntry, RunForked } from "./runtime/history.js";
export type { RawHistoryEntry, RawSnapshot } from "./runtime/raw-run.js";
export type {
  DueReport,
  ForkOptions,
  GoOnOptions,
  HistoryOptions,
  IdleOptions,
  PostOptions,
  RecordEdit,
  RecordList,
  RecordListQuery,
  RecordValue,
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
} from "./runtime/runtime.types.js";
export type { CheckProblem, CheckReport } from "./runtime/check.types.js";
// ---- the contract of stores
export type * from "./runtime/run-store.types.js";
