/**
 * What `createRuntime` takes and gives.
 *
 * @module
 */
import type { ContextDict } from "../context/run-context.types.js";
import type { Clock, Log } from "../engine/ports.js";
import type { TraceContext } from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import type { Sendable } from "../event/event.types.js";
import type { PendingPrompt, Receipt, RunOutcome } from "../run/handler.types.js";
import type { RunStream } from "../stream/run-stream.js";
import type { StreamOptions } from "../stream/stream.types.js";
import type { Duration } from "../value/duration.js";
import type { InputOf, ResultOf } from "../workflow/run.types.js";
import type { RunAttempt } from "./attempts.js";
import type { CheckReport } from "./check.types.js";
import type { ChildRun } from "./child-runs.js";
import type { DetailedEntry, HistoryEntry } from "./history.js";
import type { ExportedPart, ExportOptions, ImportedRun, ImportOptions } from "./moving.types.js";
import type { RawHistoryEntry, RawSnapshot } from "./raw-run.js";
import type { RunMoment } from "./run-moment.js";
import type { EndedStatus, RunCount, RunKey, RunOrder, RunStore, StoredStatus } from "./run-store.types.js";
import type { TenantOptions, Workflows } from "./runtime-names.types.js";
import type { RuntimeTelemetry } from "./runtime-observer.types.js";
import type { RuntimeSchedules } from "./schedule.types.js";

export type { TenantOptions, Workflows };

export interface RuntimeOptions<Flows extends Workflows> {
  /** By their durable names: a run finds its workflow by it, whatever the class is called. */
  readonly workflows: Flows;
  /** The runtime closes it when it stops. @default one in memory */
  readonly store?: RunStore;
  /**
   * `false`: no step runs here. Runs are stored and left to a runtime over the same store that executes; messages, requests to cancel,
   * resume and retry go to it through the store, and are answered once it has taken them. All that reads works. @default true
   */
  readonly execute?: boolean;
  /**
   * Runs that this process has at work at once. It takes up no more: what is due beyond that is for other processes, or waits in the
   * store. A run that only waits does not count, and leaves memory at once. From 1. @default no limit
   */
  readonly maxConcurrentRuns?: number;
  /** A run belongs to one process for this long, renewed every third of it. From 100 ms. @default 30000 */
  readonly leaseMs?: number;
  /** A run that only waits leaves memory after this long. 0: at once. @default 10000 */
  readonly idleReleaseMs?: number;
  /** Every wait goes through the store, as after a restart. The same as `idleReleaseMs: 0`. @default false */
  readonly restoreWaits?: boolean;
  /**
   * Ticks between two snapshots: what a load has to repeat at most. After a snapshot of more than 64 kB of text the next one also waits
   * for as much text of ticks. From 1. @default 200
   */
  readonly snapshotEvery?: number;
  /** `{ keep }`: about this many of the last ticks of a run stay, and at least those since its last snapshot. @default "all" */
  readonly history?: "all" | { readonly keep: number };
  /**
   * By name: how many runs of a queue are at work at once, and how often one begins. The limits hold over all processes of the store.
   * A process that does not name a queue takes up none of its runs. @default none
   */
  readonly queues?: { readonly [name: string]: QueueOptions };
  /** Traces the runs of all of its workflows, as `workflow.use(telemetry)` does, and measures the runtime itself. @default none */
  readonly telemetry?: RuntimeTelemetry;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Limits of a queue. Each process obeys those that it was given: give all of them the same. */
export interface QueueOptions {
  /** Runs of the queue that are at work at once. A run that only waits does not count. From 1. @default any number */
  readonly concurrency?: number;
  /** The same for each `queueKey`. @default any number */
  readonly perKey?: { readonly concurrency: number };
  /** Runs of the queue that begin in any time of that length, from 1. One that comes back after a wait does not count again. @default any number */
  readonly rate?: { readonly limit: number; readonly per: Duration };
  /** Runs may be started with a `priority`. @default false */
  readonly priority?: boolean;
}

export interface RuntimeRunOptions {
  /** A run that exists with the same workflow and input is given; another one is `RUN_ID_CONFLICT`. @default made up, unique */
  readonly runId?: string;
  /** It is stored now and begins then; a number is epoch milliseconds. */
  readonly startAt?: Date | number;
  /** Ids of runs are unique per tenant. @default "" */
  readonly tenant?: string;
  /** To find it by. */
  readonly labels?: { readonly [name: string]: string };
  /**
   * The span that the run belongs to, such as that of an HTTP request: stored with the run, so that it is in that trace in every
   * process. One that is not valid is ignored.
   */
  readonly trace?: TraceContext;
  readonly timeout?: Duration;
  readonly deadline?: Date | number;
  /** Calls with one key start one run. Not with `runId` or `startAt`. */
  readonly dedupe?: DedupeOptions;
  /** It is stored now, and begins when this queue of `createRuntime({ queues })` has a place for it. @default none: it begins at once */
  readonly queue?: string;
  /** Whose run it is, such as a tenant or a user: those that have runs in the queue take turns. @default "" */
  readonly queueKey?: string;
  /**
   * Among the runs with its `queueKey` the highest begins first, then the oldest. A whole number from -2,147,483,648 to 2,147,483,647.
   * Only for queues with `priority: true`. @default 0
   */
  readonly priority?: number;
}

export interface DedupeOptions {
  /** Counts for its workflow and its tenant. */
  readonly key: string;
  /** From 1 ms. */
  readonly for: Duration;
  /**
   * `"first"`: the first call starts a run; for this long every other one is given that run, whatever its input. `"last"`: the run
   * starts when no call came for this long, with the input of the last one. @default "first"
   */
  readonly mode?: "first" | "last";
}

export interface RawOptions {
  /** As it is stored: plain JSON. */
  readonly raw: true;
}

export interface PostOptions {
  /** A second message to the run with this key is not delivered: it gets the receipt of the first. */
  readonly key?: string;
}

export interface ResumeRunOptions extends TenantOptions {
  /** The run continues once for each key, whatever happens to it in between: a second request with the key changes nothing. */
  readonly key?: string;
}

export interface SendOptions extends PostOptions {
  /** Only this step gets it. */
  readonly step?: string;
}

export interface IdleOptions {
  /** Ends the waiting, not the run: it rejects with the reason. Whoever stops waiting has to say so, or goes on until the run is idle. */
  readonly signal?: AbortSignal;
}

/** A stored run, wherever it is. A promise of its result, so no async function returns one bare. */
export interface RunHandle<out Result = unknown> extends Promise<Result> {
  /** Of a start with `dedupe`: once `accepted` has resolved, for the run may be that of another call. */
  readonly runId: string;
  readonly tenant: string;
  /** The run, or a start that waits (`dedupe`), is stored: nothing short of losing the disk loses it now. */
  readonly accepted: Promise<void>;
  /** Resolves when the run has taken or refused it, and that is stored. */
  sendEvent<Event extends WorkflowEvent>(event: Sendable<Event>, options?: SendOptions): Promise<Receipt>;
  /** Answers exactly this prompt. */
  answer(promptId: string, fields?: object, options?: PostOptions): Promise<Receipt>;
  /** Everything the run has shown and will show, from the store. */
  streamEvents<Event extends WorkflowEvent = WorkflowEvent>(options?: StreamOptions): RunStream<Event>;
  /**
   * Stops the run and keeps its work: `runtime.resume(runId)` continues it. Resolves once it has ended, with `refused` and
   * `RUN_FINISHED` when it had ended before.
   */
  cancel(reason?: unknown, options?: PostOptions): Promise<Receipt>;
  /** Resolves when nothing is left to do now. It writes nothing, and a run that waits still leaves memory when its time has come. */
  idle(options?: IdleOptions): Promise<RunOutcome<Result>>;
  /** What `idle()` would say at this moment; null while there is something left to do. It waits for nothing. */
  outcome(): Promise<RunOutcome<Result> | null>;
  /** What it asks and nobody has answered yet, also while it is at work. None once it has ended. It waits for nothing. */
  prompts(): Promise<readonly PendingPrompt[]>;
  /** The run as `Context.fromDict` takes it. */
  snapshot(): Promise<ContextDict>;
  /**
   * The last snapshot as it is stored, and nothing of it read: also of a run that cannot be loaded. Null where none is stored; the ticks
   * say all then.
   */
  snapshot(options: RawOptions): Promise<RawSnapshot | null>;
  /** Where the run stands at this moment, as `runtime.runs` lists it. It waits for nothing. */
  summary(): Promise<RunListing>;
}

/** A run in a list. */
export interface RunListing {
  readonly runId: string;
  readonly tenant: string;
  readonly workflow: string;
  readonly status: StoredStatus;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  /** When it goes on by itself. */
  readonly wakeAtMs: number | null;
  readonly labels: { readonly [name: string]: string };
  readonly ticks: number;
  /**
   * Sequence number of the last event of the stream so far, for `streamEvents({ after })`; the event that ends the run counts.
   * -1: none yet.
   */
  readonly lastEvent: number;
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  readonly queue: ListedQueue | null;
  /** The run was exported from this store and does not go on here: `delete` ends the move, `release` undoes it. */
  readonly isSealed: boolean;
}

/** Where a run waits, and whether its turn has come. */
export interface ListedQueue {
  readonly name: string;
  readonly key: string;
  readonly priority: number;
  readonly hasPlace: boolean;
}

export interface RunFilter extends TenantOptions {
  readonly workflow?: string;
  /** One of these. An empty list matches nothing. */
  readonly status?: StoredStatus | readonly StoredStatus[];
  readonly labels?: { readonly [name: string]: string };
  readonly queue?: string;
  readonly createdAfter?: Date | number;
  readonly createdBefore?: Date | number;
  /**
   * Runs whose id begins with this text, that have it in the value of a label, or in the message of the error with which they failed.
   * A-Z are the same as a-z. A page is what was found among 5,000 runs: it may be short, also empty, and still have a cursor.
   */
  readonly search?: string;
  /** By when they were created. @default "newest": those come first */
  readonly order?: RunOrder;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** Of the page before, in the same order. */
  readonly cursor?: string;
}

/** Which runs are counted. */
export interface CountFilter extends TenantOptions {
  readonly workflow?: string;
  readonly labels?: { readonly [name: string]: string };
}

export interface Retention {
  /** @default all tenants */
  readonly tenant?: string;
  /** Since their end. */
  readonly olderThan: Duration;
  /** @default all that have ended */
  readonly status?: EndedStatus | readonly EndedStatus[];
  /** How many are deleted at most. From 1. @default all of them */
  readonly limit?: number;
  /** No batch begins after this long. At least one batch is deleted. @default none */
  readonly timeBudget?: Duration;
  /** Called after each batch, with how many are deleted by then. */
  readonly onProgress?: (deleted: number) => void;
}

/** What a runtime would take up if it were started now. */
export interface DueReport {
  /** Of all tenants, the longest waiting first. */
  readonly runs: readonly {
    readonly runId: string;
    readonly tenant: string;
    readonly workflow: string;
    /** Epoch milliseconds. */
    readonly dueAtMs: number;
  }[];
  /**
   * When somebody should see to it that a runtime is started, in epoch milliseconds: now or earlier where runs are due. A run that
   * a process has is counted with its own time and with the end of its lease, in case that process is gone by then. A schedule is
   * counted with its next occurrence. Null: nothing waits for a time.
   */
  readonly wakeAtMs: number | null;
}

export interface HistoryOptions extends TenantOptions {
  /** Only what came after the tick of this number. What comes before it is not read. From 0. @default all, also how a fork began */
  readonly after?: number;
}

export interface DetailedHistoryOptions extends TenantOptions {
  /** Says of every tick which step it is of and what it changed. */
  readonly details: true;
  /**
   * Only what came after the tick of this number. What comes before it is reduced again, from the nearest snapshot on. From 0.
   * @default all, also how a fork began
   */
  readonly after?: number;
  /** Only what came before the tick of this number. @default all */
  readonly before?: number;
  /** Goes on with what happens from then on, and ends with the run. @default false */
  readonly follow?: boolean;
  /** Ends a history that follows its run: reading on fails with the reason. */
  readonly signal?: AbortSignal;
}

export interface AttemptsOptions extends TenantOptions {
  /** Only those that were started after the tick of this number. From 0. @default all */
  readonly after?: number;
  /** No more than these and all that the tick of the last one has started. From 1. @default all */
  readonly limit?: number;
}

export interface ForkOptions<State = Record<string, unknown>> extends TenantOptions {
  /** The tick after which the new run begins. */
  readonly at: number;
  /** Changes the state that it begins with. Events that were emitted before keep what they had of it: see `editEvent`. */
  readonly edit?: (state: State) => void;
  /**
   * Called for every event that a step of the run is at work on or is to get: what it gives is taken instead, nothing leaves it as
   * it is. Of the same type. Not for events of children.
   */
  readonly editEvent?: (event: WorkflowEvent, step: string) => WorkflowEvent | undefined;
  /**
   * Replaces these fields of the event that is delivered next: to the one step of the run that is to get an event and has done nothing
   * with it yet. A function is given the event. Checked by the schema of the event; fields that are not named stay as they are.
   */
  readonly event?:
    | Readonly<Record<string, unknown>>
    | ((event: WorkflowEvent, step: string) => Readonly<Record<string, unknown>>);
  /** The work item whose event that is, where there are several: `runtime.at(runId, tick)` lists them as `next`. */
  readonly item?: number;
  /** @default made up, unique */
  readonly runId?: string;
}

/** A record, read. */
export interface RecordValue {
  /** From 1. */
  readonly version: number;
  readonly value: unknown;
}

/** A change of one record. */
export interface RecordEdit {
  readonly kind: string;
  readonly id: string;
  /** The version that was read; 0: there was none. */
  readonly expected: number;
  /** Values as in the state of a run. */
  readonly value?: unknown;
  /** Deletes it instead. */
  readonly delete?: true;
}

/**
 * Records as a step reads and writes them.
 *
 * What is written is stored together with the end of the step: both, or neither. Where another writer was faster, the step runs
 * again with what is stored then: its calls of `ctx` are answered from memory, and it costs none of its retries. Steps of one
 * process that want the same record take turns from `read` on, so keep slow work before the first `read`. A turn ends with the
 * attempt, when the attempt waits for something, or after ten seconds for whoever waits for it.
 */
export interface StepRecords {
  /** That of the run. `""`: it was started without one. */
  readonly tenant: string;
  /**
   * The record of the run's tenant, with what this attempt has written. The same answer every time in one attempt.
   *
   * @throws {WorkflowError} `OPTION_INVALID` for a kind or an id that no store keeps.
   */
  read(kind: string, id: string): Promise<RecordValue | null>;
  /**
   * A second write of the same record replaces the first.
   *
   * @throws {WorkflowError} `RECORD_CONFLICT` when `expected` is not the version that this attempt has read, and when it has not
   * read the record. `VALUE_UNSERIALIZABLE`.
   */
  write(edit: RecordEdit): void;
}

export interface RecordListQuery extends TenantOptions {
  readonly kind: string;
  /** Ids that begin with it. @default all */
  readonly prefix?: string;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

export interface RecordList {
  readonly records: readonly (RecordValue & { readonly id: string })[];
  /** Null: this is the last page. */
  readonly cursor: string | null;
}

/** Versioned data of a tenant beside its runs, from outside of runs. In a step: `recordsOf(ctx)`. */
export interface RuntimeRecords {
  read(kind: string, id: string, options?: TenantOptions): Promise<RecordValue | null>;
  /**
   * All of them or none, in one transaction. Each record once.
   *
   * @throws {WorkflowError} `RECORD_CONFLICT` when one of them has another version: read again, and write what follows from that.
   */
  write(edits: readonly (RecordEdit & TenantOptions)[]): Promise<void>;
  /** By id, in the order of code points, in pages. */
  list(query: RecordListQuery): Promise<RecordList>;
}

export interface Runtime<Flows extends Workflows = Workflows> {
  /** As they were given, by their durable names. */
  readonly workflows: Flows;
  /** Versioned data beside the runs, such as sessions. */
  readonly records: RuntimeRecords;
  /** Runs that begin by the calendar. */
  readonly schedules: RuntimeSchedules<Flows>;
  /** Starts a run, at once and synchronously. `await handle.accepted` says that it is stored. */
  run<Name extends keyof Flows & string>(
    workflow: Name,
    ...args: {} extends InputOf<Flows[Name]>
      ? [input?: InputOf<Flows[Name]>, options?: RuntimeRunOptions]
      : [input: InputOf<Flows[Name]>, options?: RuntimeRunOptions]
  ): RunHandle<ResultOf<Flows[Name]>>;
  /** A run that is stored. Every method of the handle of one that is not fails with `RUN_UNKNOWN`. */
  handle<Result = unknown>(runId: string, options?: TenantOptions): RunHandle<Result>;
  /** Continues a cancelled run, and one that waits for an owner. */
  resume<Result = unknown>(runId: string, options?: ResumeRunOptions): RunHandle<Result>;
  /** Runs the failed and leftover work of a failed or timed-out run again, with fresh counters. */
  retry<Result = unknown>(runId: string, options?: ResumeRunOptions): RunHandle<Result>;
  /** Newest first, in pages. */
  runs(filter?: RunFilter): Promise<{ readonly runs: readonly RunListing[]; readonly cursor: string | null }>;
  /** How many runs there are, by workflow and status. It reads an index entry of every run that it counts. */
  counts(filter?: CountFilter): Promise<readonly RunCount[]>;
  /**
   * Calls `listener` soon after anything of a run was stored, by any process. Null: any run may have changed. A run may change many
   * times for one call, and a call may come without a change. Gives the way to stop.
   */
  watch(listener: (run: RunKey | null) => void): () => void;
  /** Everything of an ended or waiting run. `RUN_LIVE` while somebody has it. */
  delete(runId: string, options?: TenantOptions): Promise<void>;
  /**
   * Deletes runs that ended long ago, in batches with a turn of the host in between. Gives how many. Stopped by `limit` or
   * `timeBudget`, it goes on where it was with the next call; one that gives 0 has left nothing.
   *
   * @throws {WorkflowError} `OPTION_INVALID`, `DURATION_INVALID`.
   */
  retain(retention: Retention): Promise<number>;
  /** Loads every run of every tenant (or of one) that has not ended with the code that is here, without running it. */
  check(options?: { readonly tenant?: string }): Promise<CheckReport>;
  /**
   * What happened to a run, in order. That of a fork begins with `run.forked`, number 0.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `OPTION_INVALID`, and what keeps the run from being loaded.
   */
  history(runId: string, options?: HistoryOptions): AsyncIterable<HistoryEntry>;
  /** The same as it is stored, and nothing of it read: also of a run that cannot be loaded, or whose workflow is not here. */
  history(runId: string, options: HistoryOptions & RawOptions): AsyncIterable<RawHistoryEntry>;
  /** The same with the step of every tick and what it changed, and on request with what is still to come. */
  history(runId: string, options: DetailedHistoryOptions): AsyncIterable<DetailedEntry>;
  /**
   * Every attempt of every step of a run and its children: when it ran, what it waited for, how it ended. In the order in which they were
   * started; each is given once all before it have ended, and at last those that have not.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `OPTION_INVALID`, and what keeps the run from being loaded.
   */
  attempts(runId: string, options?: AttemptsOptions): AsyncIterable<RunAttempt>;
  /**
   * The run after a tick, to be looked at: its state, what each step was doing, what it asked.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `OPTION_INVALID` for a tick that never was, `HISTORY_TRIMMED` for one that is no longer kept.
   */
  at(runId: string, tick: number, options?: TenantOptions): Promise<RunMoment>;
  /** The runs that its steps have started with `ctx.runChild`, and theirs. */
  children(runId: string, options?: TenantOptions): Promise<readonly ChildRun[]>;
  /** Numbers of the oldest and the last tick that are kept: what `history`, `attempts` and `at` can tell of. Null: none yet. */
  ticks(runId: string, options?: TenantOptions): Promise<{ readonly first: number; readonly last: number } | null>;
  /** The run as it was after a tick, as `Context.fromDict` takes it. */
  stateAt(runId: string, tick: number, options?: TenantOptions): Promise<ContextDict>;
  /** A new run that begins where another one was after a tick. */
  fork<Result = unknown>(runId: string, options: ForkOptions): RunHandle<Result>;
  /**
   * Everything of a run, as parts of plain JSON, to be given to `import` over another store. With the first part, the run is sealed
   * here: it does not go on, and messages to it fail with `RUN_MOVED`, until `delete` or `release`. A second export gives the same.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `WORKFLOW_UNKNOWN`; `RUN_LIVE` while somebody has it.
   */
  export(runId: string, options?: ExportOptions): AsyncIterable<ExportedPart>;
  /**
   * Takes a run out of what `export` gave: in one transaction, or not at all. It goes on here from then on.
   *
   * @throws {WorkflowError} `EXPORT_INVALID` with all that is wrong with it, `WORKFLOW_UNKNOWN`, `RUN_TOO_LARGE`; `RUN_ID_CONFLICT`
   * where there is another run of that id, `RECORD_CONFLICT`.
   */
  import(parts: Iterable<unknown> | AsyncIterable<unknown>, options?: ImportOptions): Promise<ImportedRun>;
  /** Lets a run go on here that was exported, and imported nowhere. @throws {WorkflowError} `RUN_UNKNOWN` */
  release(runId: string, options?: TenantOptions): Promise<void>;
  /** What is due now, and when something will be, schedules included: for a cron or an alarm where nothing runs in between. Takes up nothing. */
  due(options?: {
    /** Of the list. 0 to 1,000. @default 100 */
    readonly limit?: number;
  }): Promise<DueReport>;
  /** Takes up all that is due, and goes on doing so. Gives how many runs that were: none with `execute: false`. */
  start(): Promise<number>;
  /**
   * Lets running steps finish for `drainMs`, then parks them; closes the store. What is still awaited here fails with
   * `RUNTIME_STOPPED`; the runs go on elsewhere. @default drainMs: 10000
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}
