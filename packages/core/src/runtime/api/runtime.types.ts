/**
 * Types of `createRuntime`.
 *
 * @module
 */

import type { InputOf, PromptOf, Receipt, ResultOf, RunOutcome, StartedRun } from "../../authoring/handler.types.js";
import type { ContextDict } from "../../authoring/store.types.js";
import type { DoneBy, ForkEdits, Sendable, TraceContext, WorkflowEvent } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { EndedStatus, QueueTicket, RunCount, RunKey, StoredStatus } from "../store/run-store.types.js";
import type { RuntimeBudgets } from "./budget.types.js";
import type {
  CheckReport,
  ChildRun,
  DetailedEntry,
  ExportedPart,
  ExportOptions,
  HistoryEntry,
  ImportedRun,
  ImportOptions,
  MomentOptions,
  RawHistoryEntry,
  RawSnapshot,
  RunAttempt,
  RunMoment,
  RuntimeAudit,
} from "./history.types.js";
import type { RuntimeQueues, RuntimeStatistics, RuntimeWorkers } from "./operate.types.js";
import type {
  BulkOptions,
  BulkResult,
  CallerOptions,
  MatchOptions,
  RunFilter,
  RunMatches,
  TenantOptions,
  Workflows,
} from "./run-filter.types.js";
import type { RuntimeRecords } from "./runtime-records.types.js";
import type { RuntimeSchedules } from "./schedule.types.js";

export type { CallerOptions, RunFilter, TenantOptions, Workflows };

export interface RuntimeRunOptions extends CallerOptions {
  /**
   * Id of the run. If a run with this id, workflow and input exists, its handle is returned; any other run with this id is
   * `RUN_ID_CONFLICT`.
   * @default a new unique id
   */
  readonly runId?: string;
  /** The run is stored now and begins at this time; a number is epoch milliseconds. @default now */
  readonly startAt?: Date | number;
  /** Tenant of the run. Ids of runs are unique per tenant. @default "" */
  readonly tenant?: string;
  /** Labels by which lists find the run. @default none */
  readonly labels?: { readonly [name: string]: string };
  /**
   * The span that the run belongs to, such as that of an HTTP request. It is stored with the run, so that the run is in that trace
   * in every process. An invalid one is ignored.
   * @default the active span, with telemetry
   */
  readonly trace?: TraceContext;
  /** Limit of the run's active time, in which work is running or ready. @default the limit of the workflow */
  readonly timeout?: Duration;
  /** Time at which the run fails if it has not ended; a number is epoch milliseconds. @default none */
  readonly deadline?: Date | number;
  /** The first call with the key starts a run, which the others get, whatever their input. Excludes `runId` and `startAt`. @default none */
  readonly dedupe?: DedupeOptions;
  /**
   * Name of a queue in `createRuntime({ queues })`: the run is stored now, and begins when the queue has a place for it.
   * @default none: the run begins at once
   */
  readonly queue?: string;
  /** Owner of the run within the queue, such as a tenant or a user. Owners that have runs in the queue take turns. @default "" */
  readonly queueKey?: string;
  /**
   * Rank among the runs with the same `queueKey`: the highest begins first, then the oldest. An integer from -2,147,483,648 to
   * 2,147,483,647. Only for queues with `priority: true`.
   * @default 0
   */
  readonly priority?: number;
}

export interface DedupeOptions {
  /** Key of the start, unique per workflow and tenant. */
  readonly key: string;
  /** Time from the first call, in which calls count as one. At least 1 ms. */
  readonly for: Duration;
  /**
   * Result of a call once the run has failed, timed out or been cancelled, for the rest of the time. `"keep"`: that run, so
   * `await` rejects with its error. `"replace"`: a new run.
   *
   * @default "keep"
   */
  readonly failed?: "keep" | "replace";
}

export interface RawOptions {
  /** Returns what is stored, as plain JSON. */
  readonly raw: true;
}

export interface PostOptions {
  /**
   * Idempotency key: a second message to the run with this key is not delivered, and gets the receipt of the first. A run that has
   * ended remembers no key of what it refuses.
   */
  readonly key?: string;
}

export interface AnswerOptions extends PostOptions {
  /**
   * Who answers, and through which door: texts by the rules of labels, stored with the answer. `history`, `attempts` and the refusal of
   * a later answer show it.
   *
   * @default { door: "api" }
   */
  readonly by?: DoneBy;
}

export interface ResumeRunOptions extends TenantOptions, CallerOptions {
  /**
   * Idempotency key: a second request with this key changes nothing, even if the run has changed in between. The store keeps the
   * request, and it is done later if the process dies. Without a key, a request that rejects with an error of the store is not done.
   */
  readonly key?: string;
}

export interface SendOptions extends PostOptions, CallerOptions {
  /** Delivers the event only to this step. @default every step that accepts it */
  readonly step?: string;
}

export interface IdleOptions {
  /**
   * Ends the waiting, not the run: `idle()` rejects with the reason of the signal. Without it, the waiting ends only with the run's
   * work.
   */
  readonly signal?: AbortSignal;
}

/**
 * A run of a store. Its `streamEvents` reads the store, from the first event to the end of the run; its `idle` writes nothing, and
 * does not keep a waiting run in memory. If the run is not there, every method fails with `RUN_UNKNOWN`.
 */
export interface RunHandle<out Result = unknown, out Prompt extends WorkflowEvent = WorkflowEvent>
  extends StartedRun<Result, Prompt> {
  /** Id of the run. With `dedupe`, read it after `accepted`: the run may be that of another call. */
  readonly runId: string;
  readonly tenant: string;
  /**
   * Sends an event to the run. Resolves once the run has taken or refused it, and that is stored.
   *
   * @throws {WorkflowError} `EVENT_NOT_SENDABLE`, `VALUE_UNSERIALIZABLE`. A refusal is a receipt, not an error.
   */
  sendEvent<Event>(event: Sendable<Event>, options?: SendOptions): Promise<Receipt>;
  /**
   * Resolves like in memory, once the answer is stored. The `details` of `PROMPT_CLOSED` say who has answered the prompt, if
   * somebody has.
   *
   * @throws {WorkflowError} `EVENT_INVALID` for fields that do not fit, `VALUE_UNSERIALIZABLE`.
   */
  answer(promptId: string, fields?: object, options?: AnswerOptions): Promise<Receipt>;
  cancel(reason?: unknown, options?: CallerOptions & PostOptions): Promise<Receipt>;
  idle(options?: IdleOptions): Promise<RunOutcome<Result, Prompt>>;
  /** Makes a snapshot of the run, for `Context.fromDict`. */
  snapshot(): Promise<ContextDict>;
  /**
   * The last snapshot as it is stored, without reading it: works also for a run that cannot be loaded. `null` if none is stored
   * yet.
   */
  snapshot(options: RawOptions): Promise<RawSnapshot | null>;
  /** The status and the times of the run at this moment, as `runtime.runs` lists them. */
  summary(): Promise<RunListing>;
}

/** A run in a list. */
export interface RunListing extends RunKey {
  readonly workflow: string;
  /** Version of the program that started the run, or that has continued it last; `null` if it was not known. */
  readonly version: string | null;
  readonly status: StoredStatus;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  /** When the run continues by itself, in epoch milliseconds; `null` if it does not wait for a time. */
  readonly wakeAtMs: number | null;
  readonly labels: { readonly [name: string]: string };
  readonly ticks: number;
  /**
   * Sequence number of the last event of the stream so far, for `streamEvents({ after })`; the event that ends the run counts. -1:
   * none yet.
   */
  readonly lastEvent: number;
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  readonly queue: ListedQueue | null;
  /** `true` if the run was exported from this store, and does not continue here. `delete` ends the move, `release` undoes it. */
  readonly isSealed: boolean;
}

/** The queue that a run waits in, and whether its turn has come. */
export interface ListedQueue extends QueueTicket {
  readonly hasPlace: boolean;
}

/** Filter of counted runs. */
export interface CountFilter extends TenantOptions {
  /** Durable name of a workflow. @default all */
  readonly workflow?: string;
  /** Runs that have all of these labels. @default all */
  readonly labels?: { readonly [name: string]: string };
}

export interface Retention {
  /** Tenant of the runs. @default all tenants */
  readonly tenant?: string;
  /** Minimum time since the runs ended. */
  readonly olderThan: Duration;
  /** Status, or statuses, with which the runs ended. @default all ended runs */
  readonly status?: EndedStatus | readonly EndedStatus[];
  /** Maximum number of runs to delete. Integer, at least 1. @default no limit */
  readonly limit?: number;
}

/** When a runtime has to be started. */
export interface DueReport {
  /**
   * When a runtime has to be started next, in epoch milliseconds: now or earlier if runs are due. For a run that a process holds,
   * this counts its own time and the end of its lease, in case that process dies. For a schedule it counts the next occurrence.
   * `null` if nothing waits for a time.
   */
  readonly wakeAtMs: number | null;
}

export interface HistoryOptions extends TenantOptions {
  /**
   * Tick number after which the history begins. Earlier ticks are not read. Integer, at least 0.
   *
   * @default everything, with how a fork began
   */
  readonly after?: number;
}

export interface DetailedHistoryOptions extends TenantOptions {
  /** Adds to every tick its step and what it changed in the state. */
  readonly details: true;
  /**
   * Tick number after which the history begins. Earlier ticks are reduced again, from the nearest snapshot on. Integer, at
   * least 0.
   *
   * @default everything, with how a fork began
   */
  readonly after?: number;
  /** Tick number before which the history ends. @default everything */
  readonly before?: number;
  /** Whether the history continues with new ticks, until the run ends. @default false */
  readonly follow?: boolean;
  /** Ends a history that follows its run: reading then fails with the reason of the signal. */
  readonly signal?: AbortSignal;
}

export interface AttemptsOptions extends TenantOptions {
  /** Tick number after which the attempts were started. Integer, at least 0. @default all */
  readonly after?: number;
  /** About how many attempts to return: all that one tick started are returned together. Integer, at least 1. @default all */
  readonly limit?: number;
}

export interface ForkOptions<State = Record<string, unknown>> extends ForkEdits<State>, TenantOptions, CallerOptions {
  /** Number of the tick after which the new run begins. */
  readonly at: number;
  /** Id of the new run. @default a new unique id */
  readonly runId?: string;
}

export interface Runtime<Flows extends Workflows = Workflows> {
  /** The workflows as they were given, by their durable names. */
  readonly workflows: Flows;
  /** Versioned data beside the runs, such as sessions. */
  readonly records: RuntimeRecords;
  /** Amounts that runs and tenants have spent, for a runtime with `budgets`. */
  readonly budgets: RuntimeBudgets;
  /** Who has done what to runs. */
  readonly audit: RuntimeAudit;
  /** How often runs and steps end, how they end, how long they take, and why they fail. */
  readonly statistics: RuntimeStatistics;
  /** Runs that begin by the calendar. */
  readonly schedules: RuntimeSchedules<Flows>;
  /** The lines of queues; pauses and limits that hold for all processes. */
  readonly queues: RuntimeQueues;
  /** The processes that execute runs of the store. */
  readonly workers: RuntimeWorkers;
  /**
   * Starts a run and returns synchronously. After `await handle.accepted` the run is stored.
   *
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `EVENT_INVALID`, `START_AMBIGUOUS`, `OPTION_INVALID`,
   * `VALUE_UNSERIALIZABLE`, `RUNTIME_STOPPED`.
   */
  run<Name extends keyof Flows & string>(
    workflow: Name,
    ...args: {} extends InputOf<Flows[Name]>
      ? [input?: InputOf<Flows[Name]>, options?: RuntimeRunOptions]
      : [input: InputOf<Flows[Name]>, options?: RuntimeRunOptions]
  ): RunHandle<ResultOf<Flows[Name]>, PromptOf<Flows[Name]>>;
  /** The handle of a stored run. If there is no such run, every method of the handle fails with `RUN_UNKNOWN`. */
  handle<Result = unknown>(runId: string, options?: TenantOptions): RunHandle<Result>;
  /**
   * Continues a cancelled run, or one that waits for an owner.
   *
   * The handle rejects with `RUN_UNKNOWN`, `RUN_FINISHED`, or what keeps the run from being loaded.
   */
  resume<Result = unknown>(runId: string, options?: ResumeRunOptions): RunHandle<Result>;
  /**
   * Runs the failed and leftover work of a failed or timed-out run again, with reset counters.
   *
   * The handle rejects with `RUN_UNKNOWN`, `RUN_NOT_RETRYABLE`, or what keeps the run from being loaded.
   */
  retry<Result = unknown>(runId: string, options?: ResumeRunOptions): RunHandle<Result>;
  /** Lists runs in pages, the newest first by default. @throws {WorkflowError} `OPTION_INVALID` */
  runs(filter?: RunFilter): Promise<{ readonly runs: readonly RunListing[]; readonly cursor: string | null }>;
  /** Counts runs by workflow and status. It reads an index entry of every run that it counts. */
  counts(filter?: CountFilter): Promise<readonly RunCount[]>;
  /**
   * Starts a job that does one action to all runs that match, or to those with the given ids: the oldest first, each once, also if
   * processes die. The job is a run of the workflow `millrace.bulk`: read its progress with `streamEvents`, stop it with `cancel`,
   * continue it with `resume`. Its result says what was skipped, and what has failed.
   *
   * The process that has the job needs the workflows of the runs. `by` is stored with every action.
   *
   * @example
   * const job = runtime.bulk({ action: "retry", where: { status: "failed", workflow: "refund" } });
   * const { done, skipped, failed } = await job;
   * @throws {WorkflowError} `OPTION_INVALID` with all problems, `VALUE_UNSERIALIZABLE`, `RUNTIME_STOPPED`.
   */
  bulk(options: BulkOptions): RunHandle<BulkResult>;
  /**
   * Counts the runs that `bulk` would act on, without acting. It reads each of them.
   *
   * @throws {WorkflowError} `OPTION_INVALID` with all problems.
   */
  matching(options: MatchOptions): Promise<RunMatches>;
  /**
   * Calls `listener` soon after anything of a run was stored, by any process; with `null` when any run may have changed. One call
   * may report many changes, and a call may come without a change. Returns the function that stops it; until then the process
   * stays alive.
   */
  watch(listener: (run: RunKey | null) => void): () => void;
  /**
   * Deletes an ended or waiting run with everything that belongs to it.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_LIVE` while a process holds the run.
   */
  delete(runId: string, options?: CallerOptions & TenantOptions): Promise<void>;
  /**
   * Deletes runs that ended long ago, in batches with a turn of the host in between. Returns how many. A call that was stopped by
   * `limit` is continued by the next call; 0 means that nothing is left to delete.
   *
   * @throws {WorkflowError} `OPTION_INVALID`.
   */
  retain(retention: Retention): Promise<number>;
  /**
   * Loads every run that has not ended, of all tenants or of one, with the present code, without running it. Reports the runs that
   * cannot continue.
   */
  check(options?: { readonly tenant?: string }): Promise<CheckReport>;
  /**
   * Returns the ticks of a run, in order. The history of a fork begins with `run.forked`, number 0.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `OPTION_INVALID`, and errors that keep the run from being loaded.
   */
  history(runId: string, options?: HistoryOptions): AsyncIterable<HistoryEntry>;
  /**
   * The same as it is stored, without reading it: works also for a run that cannot be loaded, or whose workflow is not registered.
   */
  history(runId: string, options: HistoryOptions & RawOptions): AsyncIterable<RawHistoryEntry>;
  /** The same with the step of every tick and what it changed; with `follow`, also future ticks. */
  history(runId: string, options: DetailedHistoryOptions): AsyncIterable<DetailedEntry>;
  /**
   * Returns every attempt of every step of a run and its children: when it ran, what it waited for, how it ended. In the
   * order in which the attempts were started; each is returned once all before it have ended, and those that still run come
   * last.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `OPTION_INVALID`, and errors that keep the run from being loaded.
   */
  attempts(runId: string, options?: AttemptsOptions): AsyncIterable<RunAttempt>;
  /**
   * The run, or a child of it, as it was after a tick: its state, its steps and its prompts.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`; `OPTION_INVALID` for a tick or child that never existed; `HISTORY_TRIMMED` for a tick
   * that is no longer kept.
   */
  at(runId: string, tick: number, options?: MomentOptions): Promise<RunMoment>;
  /** The runs that the steps of a run have started with `ctx.runChild`, at any depth. @throws {WorkflowError} `RUN_UNKNOWN` */
  children(runId: string, options?: TenantOptions): Promise<readonly ChildRun[]>;
  /**
   * Numbers of the oldest and the last tick that are kept, which `history`, `attempts` and `at` can reach; `null` before the first
   * tick.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`
   */
  ticks(runId: string, options?: TenantOptions): Promise<{ readonly first: number; readonly last: number } | null>;
  /**
   * The run as it was after a tick, for `Context.fromDict`.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`; `OPTION_INVALID` for a tick that never existed; `HISTORY_TRIMMED` for one that is no
   * longer kept.
   */
  stateAt(runId: string, tick: number, options?: TenantOptions): Promise<ContextDict>;
  /**
   * Starts a new run from the state of another run after a tick.
   *
   * The handle rejects with `RUN_UNKNOWN`, `OPTION_INVALID`, `HISTORY_TRIMMED`, `RUN_FINISHED` when the run had ended at that tick,
   * `STATE_INVALID`, `EVENT_INVALID` or `RUN_ID_CONFLICT`.
   */
  fork<Result = unknown>(runId: string, options: ForkOptions): RunHandle<Result>;
  /**
   * Everything of a run, as parts of plain JSON for `import` over another store. The first part seals the run here: it does not
   * continue, and messages to it fail with `RUN_MOVED`, until `delete` or `release`. A second export returns the same parts.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `WORKFLOW_UNKNOWN`; `RUN_LIVE` while a process holds the run.
   */
  export(runId: string, options?: ExportOptions): AsyncIterable<ExportedPart>;
  /**
   * Stores an exported run, in one transaction or not at all. From then on the run continues here.
   *
   * @throws {WorkflowError} `EXPORT_INVALID` with all problems, `WORKFLOW_UNKNOWN`, `RUN_TOO_LARGE`; `RUN_ID_CONFLICT` when there
   * is another run with that id; `RECORD_CONFLICT`.
   */
  import(parts: Iterable<unknown> | AsyncIterable<unknown>, options?: ImportOptions): Promise<ImportedRun>;
  /** Lets an exported run that was not imported elsewhere continue here. @throws {WorkflowError} `RUN_UNKNOWN` */
  release(runId: string, options?: TenantOptions): Promise<void>;
  /**
   * When something is due next, schedules included: for a cron job or an alarm where no process runs in between. Claims nothing.
   * `runs({ status: ["queued", "running", "waiting"] })` lists the runs themselves.
   */
  due(): Promise<DueReport>;
  /**
   * Claims runs that are due, and continues to do so in the background. Resolves once the first of them are claimed, at most 100, with
   * their number: none with `execute: false`. They are loaded after that.
   *
   * @throws {WorkflowError} `RUNTIME_STOPPED`; errors of the store, such as `STORE_UNREACHABLE`. The runtime retries until it is
   * stopped, so the error may be ignored: a rejection that is not awaited does not end the process.
   */
  start(): Promise<number>;
  /**
   * Lets running steps finish for `drainMs` milliseconds, then releases their runs and closes the store. Whatever is still awaited
   * here fails with `RUNTIME_STOPPED`; the runs continue elsewhere. A store that does not answer by then is not waited for.
   * @default drainMs: 10000
   * @throws {WorkflowError} `OPTION_INVALID`: nothing is stopped.
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}
