import { expectTypeOf } from "vitest";
import type { AllowOptions, DayQuery } from "../../src/runtime/api/budget.types.js";
import type {
  AuditFilter,
  ExportOptions,
  ImportOptions,
  MomentOptions,
  RuntimeAudit,
} from "../../src/runtime/api/history.types.js";
import type {
  FailureFilter,
  HistogramFilter,
  RuntimeStatistics,
  StatisticsFilter,
} from "../../src/runtime/api/operate.types.js";
import type { BulkOptions, MatchOptions } from "../../src/runtime/api/run-filter.types.js";
import type {
  AnswerOptions,
  AttemptsOptions,
  CallerOptions,
  CountFilter,
  DedupeOptions,
  DetailedHistoryOptions,
  ForkOptions,
  HistoryOptions,
  IdleOptions,
  PostOptions,
  RawOptions,
  ResumeRunOptions,
  Retention,
  RunFilter,
  Runtime,
  RuntimeRunOptions,
  SendOptions,
  TenantOptions,
} from "../../src/runtime/api/runtime.types.js";
import type { RecordListQuery, RecordName } from "../../src/runtime/api/runtime-records.types.js";
import type {
  ScheduleChangeOptions,
  ScheduleEdit,
  ScheduleOptions,
  ScheduleQuery,
} from "../../src/runtime/api/schedule.types.js";
import type { MemoryStoreOptions } from "../../src/runtime/memory/memory-store.js";
import type { callOptions } from "../../src/runtime/options/call-options.js";
import type { Words } from "../../src/value/option-rules.js";

interface Interfaces {
  readonly memoryStore: MemoryStoreOptions;
  readonly run: RuntimeRunOptions;
  readonly "run.dedupe": DedupeOptions;
  readonly handle: TenantOptions;
  readonly resume: ResumeRunOptions;
  readonly retry: ResumeRunOptions;
  readonly runs: RunFilter;
  readonly counts: CountFilter;
  readonly bulk: BulkOptions;
  readonly matching: MatchOptions;
  readonly delete: CallerOptions & TenantOptions;
  readonly retain: Retention;
  readonly check: TenantOptions;
  readonly history: HistoryOptions & RawOptions;
  readonly "history with details": DetailedHistoryOptions;
  readonly attempts: AttemptsOptions;
  readonly at: MomentOptions;
  readonly children: TenantOptions;
  readonly ticks: TenantOptions;
  readonly stateAt: TenantOptions;
  readonly fork: ForkOptions;
  readonly export: ExportOptions;
  readonly import: ImportOptions;
  readonly release: TenantOptions;
  readonly stop: NonNullable<Parameters<Runtime["stop"]>[0]>;
  readonly "statistics.figures": StatisticsFilter;
  readonly "statistics.failures": FailureFilter;
  readonly "statistics.histogram": HistogramFilter;
  readonly "statistics.delete": Parameters<RuntimeStatistics["delete"]>[0];
  readonly "audit.list": AuditFilter;
  readonly "audit.delete": Parameters<RuntimeAudit["delete"]>[0];
  readonly "queues.pause": CallerOptions;
  readonly "queues.resume": CallerOptions;
  readonly "queues.limit": CallerOptions;
  readonly "queues.reset": CallerOptions;
  readonly "queues.position": TenantOptions;
  readonly "records.list": RecordListQuery;
  readonly "records.read": TenantOptions;
  readonly "budgets.run": TenantOptions;
  readonly "budgets.tenant": DayQuery;
  readonly "budgets.tenants": Omit<DayQuery, "tenant">;
  readonly "budgets.allow": AllowOptions;
  readonly "records.update": RecordName;
  readonly "schedules.set": ScheduleOptions;
  readonly "schedules.get": TenantOptions;
  readonly "schedules.list": ScheduleQuery;
  readonly "schedules.pause": ScheduleChangeOptions;
  readonly "schedules.resume": ScheduleChangeOptions;
  readonly "schedules.edit": ScheduleChangeOptions;
  readonly "schedules.edit change": ScheduleEdit;
  readonly "schedules.reset": ScheduleChangeOptions;
  readonly "schedules.start": ScheduleChangeOptions & { readonly key?: string };
  readonly "schedules.delete": ScheduleChangeOptions;
  readonly "schedules.next": TenantOptions;
  readonly sendEvent: SendOptions;
  readonly answer: AnswerOptions;
  readonly cancel: CallerOptions & PostOptions;
  readonly idle: IdleOptions;
  readonly snapshot: RawOptions;
}

/** Every option of every call is in the list of names, and no other. */
expectTypeOf<{ [Call in keyof typeof callOptions]: Words<(typeof callOptions)[Call]> }>().toEqualTypeOf<{
  readonly [Call in keyof Interfaces]: keyof Interfaces[Call];
}>();

/** Every call of a runtime is in it. */
expectTypeOf<
  Exclude<
    keyof Runtime,
    | symbol
    | "workflows"
    | "audit"
    | "budgets"
    | "due"
    | "statistics"
    | "queues"
    | "records"
    | "schedules"
    | "start"
    | "watch"
    | "workers"
    | keyof typeof callOptions
  >
>().toBeNever();
