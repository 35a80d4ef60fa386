/**
 * Options and results of `createClient`.
 *
 * @module
 */
import type { Receipt, WorkflowEvent } from "millrace";
import type {
  BulkAction,
  BulkResult,
  ChangedValue,
  RunAttempt,
  RunMatches,
  RunOrder,
  StepMoment,
} from "millrace/runtime";
import type { ClientFacts, JsonSchema } from "./about.types.js";
import type { CallOptions, KeyedOptions, QueueTicket, RunLabels } from "./call.types.js";
import type { WorkflowError } from "./client-error.js";
import type { RetryOptions } from "./http/backoff.js";
import type { HeadersSource } from "./http/transport.js";
import type {
  ClientEvent,
  ClientInput,
  ClientResult,
  ClientShown,
  EventClasses,
  EventData,
  SomeEvent,
} from "./inferred.types.js";
import type { ClientSchedules } from "./schedules.types.js";

export type { CallOptions, KeyedOptions, QueueTicket, RunLabels };

/** Options of `createClient`. */
export interface ClientOptions<Classes extends EventClasses = EventClasses> {
  /** URL of the server: `"https://example.com/api"`, or `"/api"` in a browser. */
  readonly baseUrl: string | URL;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** Headers for every request. A function is called for each request, so that a token can be renewed. */
  readonly headers?: HeadersSource;
  /** Retries of streams and of requests that are safe to repeat. `false` turns retries off. */
  readonly retry?: RetryOptions | false;
  /** Milliseconds within which an attempt must have its complete response. @default 30000 */
  readonly timeoutMs?: number;
  /** Milliseconds of silence, without even a heartbeat, after which a stream is opened again. @default 60000 */
  readonly streamTimeoutMs?: number;
  /** Event classes: events of these types become instances, created with `new`. @default none: events are plain objects */
  readonly events?: Classes;
}

export interface RunOptions extends KeyedOptions {
  /**
   * Id of the run, of 1 to 200 characters. An existing id is `RUN_ID_CONFLICT`, unless the `key` is the same.
   * @default derived from the `key`, or a random UUID
   */
  readonly handlerId?: string;
  /** Labels for `client.runs({ labels })`, at most 50. Names contain no `=` and do not start with `millrace.`. */
  readonly labels?: RunLabels;
  /** Queue in which the run waits for its place, if the server lets its callers choose. */
  readonly queue?: string;
  /** Whose run it is: keys of a queue take turns. */
  readonly queueKey?: string;
  /** Among the runs of its key the highest begins first. A whole number of 32 bits. */
  readonly priority?: number;
  /**
   * Calls with one `key` start one run, whatever their input. Without `handlerId`. The `handlerId` of the run is `""` until `accepted` has
   * resolved.
   */
  readonly dedupe?: DedupeOptions;
}

export interface DedupeOptions {
  readonly key: string;
  /** Milliseconds, or a text such as `"10m"`. */
  readonly for: number | string;
  /** What a call gets once the run has failed, timed out or been cancelled: that run, or a new one. @default "keep" */
  readonly failed?: "keep" | "replace";
}

export interface SendOptions extends KeyedOptions {
  /** Sends the event only to this step. */
  readonly step?: string;
}

export interface CancelOptions extends KeyedOptions {
  /** Reason, which the run stores. */
  readonly reason?: string;
}

export interface StreamOptions extends CallOptions {
  /** Starts after this sequence number. @default -1: from the beginning */
  readonly after?: number;
}

/** One event of a stream. */
export interface StreamedEvent<out Event = SomeEvent> {
  /** Number of the event. Numbers grow and are the same for every reader. */
  readonly sequence: number;
  readonly event: Event;
  /** Path of the child run that emitted the event; `null` for the run itself. */
  readonly origin: string | null;
  /** Id for `run.answer(promptId, fields)`; `null` when the event is not a prompt. */
  readonly promptId: string | null;
  /** The work item that wrote the event, and its `StepRestartedEvent`s. Left out: the event does not come again when a step restarts. */
  readonly writer?: string;
  /** The recorded call of `ctx` inside of which it was written; left out for none. */
  readonly call?: string;
}

/** A prompt without an answer. */
export interface PendingPrompt<out Event = SomeEvent> {
  readonly promptId: string;
  readonly event: Event;
  /** Id of the run that asks: this run, or a child. */
  readonly runId: string;
  /** The step that asks; `null` if the server does not know it. */
  readonly step: string | null;
  /** When it was asked, in epoch milliseconds; `null` if the server does not know it. */
  readonly askedAtMs: number | null;
  /** Deadline of the answer, in epoch milliseconds; `null` if there is none. */
  readonly dueAtMs: number | null;
  /** The event that `run.answer(promptId, fields)` sends, and its schema; `null` when fields alone do not say which. */
  readonly answer: { readonly type: string; readonly schema: JsonSchema } | null;
}

interface SummaryBase {
  readonly handlerId: string;
  readonly workflow: string;
  /** Version of the program that started the run, or that has continued it last; `null` if the server does not know it. */
  readonly version: string | null;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  /** Sequence number of the last event of the stream so far; -1 for none. */
  readonly lastEvent: number;
  readonly labels: RunLabels;
  /** Where the run waits for its place; `null` for no queue. */
  readonly queue: RunQueue | null;
  /** Whether the run was exported to another store: it does not continue in this one. */
  readonly isSealed: boolean;
  /** The run whose fork it is, and the tick after which it begins; `null` for a run that is no fork. */
  readonly forkedFrom: { readonly handlerId: string; readonly at: number } | null;
  /** The first and the last tick that the server keeps; `null` where it was not asked: in lists, and of a run that is started. */
  readonly ticks: { readonly first: number; readonly last: number } | null;
}

export interface RunQueue extends QueueTicket {
  /** `false` for a run that is `queued`, or only waits for something else. */
  readonly hasPlace: boolean;
}

/** Status of a run. */
export type RunSummary<Result = unknown, Shown = SomeEvent> =
  | RunOutcome<Result, Shown>
  /** `queued`: it waits for a place of its queue. */
  | (SummaryBase & { readonly status: "running" | "queued" });

/** Status of a run that has nothing to do now. A run that took too long is `failed`, with the code `RUN_TIMED_OUT`. */
export type RunOutcome<Result = unknown, Shown = SomeEvent> = SummaryBase &
  (
    | {
        readonly status: "waiting";
        readonly prompts: readonly PendingPrompt<Shown>[];
        /** When the run continues by itself, in epoch milliseconds; `null` when it needs an answer or an event. */
        readonly wakeAtMs: number | null;
      }
    | { readonly status: "completed"; readonly endedAtMs: number; readonly result: Result }
    | { readonly status: "failed" | "cancelled"; readonly endedAtMs: number; readonly error: WorkflowError }
  );

/** An event to send: a plain object or an instance. Events that end a run cannot be sent. */
export type SentEvent<Event extends WorkflowEvent> = WorkflowEvent extends Event
  ? SomeEvent | WorkflowEvent
  : Event | EventData<Event>;

/**
 * A run on the server. It is a promise of its result, so an async function that returns it waits for the result.
 *
 * Requests for the result start only when it is awaited. A run without a result rejects with a {@link
 * WorkflowError}.
 */
export interface ClientRun<out Result = unknown, out Shown = SomeEvent, in out Classes extends EventClasses = {}>
  extends Promise<Result> {
  readonly handlerId: string;
  /** Resolves when the start is stored; for an existing run, at once. */
  readonly accepted: Promise<void>;
  /**
   * Streams all events of the run, from the beginning. Each iteration starts anew. It survives lost connections and
   * restarts of the server without missing or repeating an event, and ends with the run.
   *
   * @example
   * for await (const { event } of run.stream()) console.log(event.type);
   */
  stream<Streamed extends WorkflowEvent = never>(
    options?: StreamOptions,
  ): AsyncIterable<StreamedEvent<Shown | ClientEvent<Streamed, Classes>>>;
  /** Sends an event to the run. A refusal is a result, not an error. */
  sendEvent<Event extends WorkflowEvent = WorkflowEvent>(
    event: SentEvent<Event>,
    options?: SendOptions,
  ): Promise<Receipt>;
  /** Answers this prompt. The answer is refused with `PROMPT_CLOSED` if the prompt is closed. */
  answer(promptId: string, fields?: object, options?: KeyedOptions): Promise<Receipt>;
  /** Lists the open prompts of the run and its children. */
  prompts(options?: CallOptions): Promise<readonly PendingPrompt<Shown>[]>;
  /** Stops the run and keeps its work: `client.resume(handlerId)` continues it. */
  cancel(options?: CancelOptions): Promise<void>;
  /** Resolves when the run has ended, or waits for an answer, an event or a time. */
  idle(options?: CallOptions): Promise<RunOutcome<Result, Shown>>;
  /** Resolves like `await run`, but with a new request for each call, and with a `signal` that aborts the waiting. */
  result(options?: CallOptions): Promise<Result>;
  /** Reads the present status of the run. */
  summary(options?: CallOptions): Promise<RunSummary<Result, Shown>>;
}

/** Filter for runs. A run must satisfy every given condition. */
export interface RunSelection<Name extends string = string> extends CallOptions {
  readonly workflow?: Name | readonly Name[];
  /** Statuses of the runs. A run that waits or is queued counts as `running`, too. */
  readonly status?: FilterStatus | readonly FilterStatus[];
  /** `true`: only runs that wait for an answer, an event or a time. `false`: only others. */
  readonly waiting?: boolean;
  /** Runs that a program of this version started, or has continued last. */
  readonly version?: string;
  /** `true`: only runs that wait for a place of their queue. `false`: only others. */
  readonly queued?: boolean;
  /** Labels that the runs have, each with exactly this value. */
  readonly labels?: RunLabels;
  /** Values of the input, by the names of the `static index` of the workflow: runs that have all of them. */
  readonly input?: Readonly<Record<string, string | number | boolean | null>>;
  /** Only runs of this queue. */
  readonly queue?: string;
  /** The beginning of an id, or a part of a label's value or of an error. A-Z are the same as a-z. At most 200 characters. */
  readonly search?: string;
  /** Only runs created after this time: a Date, or epoch milliseconds. */
  readonly createdAfter?: Date | number;
  /** Only runs created before this time: a Date, or epoch milliseconds. */
  readonly createdBefore?: Date | number;
}

/** Which runs to list, and in which order. */
interface OrderedSelection<Name extends string> extends RunSelection<Name> {
  /** Id of a group of `failures`: runs that have failed that way and have not continued since. */
  readonly failure?: string;
  /** Step at which the runs failed or timed out. Runs that have continued since are not found. */
  readonly failedStep?: string;
  /** By the time at which they were created. @default "newest" */
  readonly order?: RunOrder;
}

export interface EachRunFilter<Name extends string = string> extends OrderedSelection<Name> {
  /** Runs per request: 1 to 1,000. @default 100 */
  readonly pageSize?: number;
}

export interface RunFilter<Name extends string = string> extends OrderedSelection<Name> {
  /** Maximum number of runs: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/**
 * A change of the runs of a list. `open`: changes are reported from now on; list the runs now. `changed`: the new state of a run of the
 * list. `gone`: a run has left the list, or was deleted. `reset`: changes were missed; list the runs again.
 */
export type RunListChange =
  | { readonly type: "open" }
  | { readonly type: "changed"; readonly run: RunSummary }
  | { readonly type: "gone"; readonly handlerId: string }
  | { readonly type: "reset" };

/** Statuses that a list can be asked for. */
export type FilterStatus = ListedStatus | "waiting" | "queued";

export type ListedStatus = "running" | "completed" | "failed" | "cancelled";

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Cursor for the next page; `null` on the last one. */
  readonly cursor: string | null;
}

export interface HistoryOptions extends CallOptions {
  /** Only ticks after this number; 0 leaves out how a fork began. @default all that the server keeps */
  readonly after?: number;
  /** Only ticks before this number. @default all */
  readonly before?: number;
  /** Only ticks of these types, such as `step.failed`. @default all */
  readonly types?: readonly string[];
  /** Says of each tick what it changed in the state. @default false */
  readonly changes?: boolean;
  /** Continues with later entries, and ends with the run. It survives lost connections. @default false */
  readonly follow?: boolean;
  /** Ticks per request: 1 to 1,000. Not with `follow`. @default 100 */
  readonly pageSize?: number;
}

export interface AttemptsOptions extends CallOptions {
  /** Only those that were started after the tick of this number. @default 0: all */
  readonly after?: number;
  /** Attempts per request: 1 to 1,000. @default 1000 */
  readonly pageSize?: number;
}

/** A run after one of its ticks. */
export interface RunMoment {
  readonly number: number;
  readonly atMs: number;
  readonly status: ListedStatus;
  readonly isWaiting: boolean;
  readonly state: unknown;
  /** Of the run itself, then of its children. */
  readonly steps: readonly StepMoment[];
  readonly prompts: readonly PendingPrompt[];
  /** What a fork from here delivers first: its `event` replaces fields of one of them. */
  readonly next: readonly PendingDelivery[];
  /** Top-level fields of the state that a fork may not set. */
  readonly closed: readonly string[];
  /** Input of the requested work item; `null` if none was requested, or if it is not at work at this tick. */
  readonly input: ItemInput | null;
}

export interface MomentOptions extends CallOptions {
  /** Id of a child, at any depth, that had started by then. @default the run itself */
  readonly childId?: string;
  /** Id of a work item whose input to return as `input`. @default none */
  readonly item?: number;
}

/** What a work item was started with. */
export interface ItemInput {
  readonly step: string;
  /** One event, or those of a batch or a set. A batch that settles leaves out its failures. */
  readonly events: readonly SomeEvent[];
  /** Names of the slots of a set, in the order of `events`; `null` for one event and for a batch. */
  readonly slots: readonly string[] | null;
}

/** A work item that a fork delivers its event to. */
export interface PendingDelivery {
  readonly item: number;
  readonly step: string;
  readonly event: SomeEvent;
  /** Whether the option `event` of a fork may replace its fields. */
  readonly isEditable: boolean;
  /** Why it may not. */
  readonly reason: string | null;
}

/** A run that a step of another one has started. */
export interface ChildRun {
  readonly runId: string;
  readonly parentId: string;
  readonly workflow: string;
  readonly step: string;
  readonly item: number;
  readonly status: ListedStatus;
  readonly startedAtMs: number;
}

/** A tick, as the engine records it. */
export interface HistoryTick {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** A tick of a run. */
export interface HistoryEntry {
  /** Number of the tick, for `fork`. Starts with 1; the history of a fork starts with 0, `run.forked`. */
  readonly number: number;
  /** Time of the tick, in epoch milliseconds. */
  readonly atMs: number;
  /** Run to which the tick belongs: this run, or a child. */
  readonly runId: string;
  /** Step whose work item the tick is about; `null` for none. */
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  /** With the option `changes`: what it changed in the state of its run. */
  readonly changes?: readonly ChangedValue[];
  readonly tick: HistoryTick;
}

export interface ForkOptions extends KeyedOptions {
  /** Number of the tick after which the new run begins. */
  readonly at: number;
  /** Id of the new run. @default derived from the `key`, or a random UUID */
  readonly handlerId?: string;
  /** Replaces these fields of the initial state. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** Replaces these fields of the event that is delivered next. The server decides which events callers may edit. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** Work item whose event that is, where there are several: `client.at(handlerId, tick)` lists them as `next`. */
  readonly item?: number;
  /** What the function of a call of `ctx.run` gets as `call.override`: of a model call, parts of its request. */
  readonly override?: {
    readonly item: number;
    /** Its id, as `client.attempts` lists it. It may not have ended at that tick. */
    readonly call: string;
    readonly value: Readonly<Record<string, unknown>>;
  };
}

/** Which runs a job acts on. */
export interface BulkWhere extends RunSelection {
  /** Id of a group of `failures`: runs that have failed that way and have not continued since. */
  readonly failure?: string;
  /** Step at which the runs failed or timed out. Runs that have continued since are not found. */
  readonly failedStep?: string;
}

/** One action on many runs. */
export interface BulkOptions extends KeyedOptions {
  readonly action: BulkAction;
  /** The runs, by at least one condition. Excludes `handlerIds`. */
  readonly where?: BulkWhere;
  /** Exactly these runs: 1 to 1,000 ids. Excludes `where`. */
  readonly handlerIds?: readonly string[];
  /**
   * Of `resume`: id of a job of `cancel`. The runs that it has cancelled, unless somebody has resumed them since. Excludes `where` and
   * `handlerIds`.
   */
  readonly cancelledBy?: string;
  /** Id of the job. @default derived from the `key`, or a random UUID */
  readonly handlerId?: string;
  /** How many runs are acted on per second, at most: 1 to 1,000. @default 100 */
  readonly perSecond?: number;
  /** Of `cancel`: the reason, which each run stores. */
  readonly reason?: string;
  /** Of `answer`: the fields of the answer, as JSON. */
  readonly fields?: object;
  /** Of `answer`: only prompts of this type. */
  readonly prompt?: string;
}

export interface MatchOptions extends CallOptions {
  readonly action: BulkAction;
  /** By at least one condition. Excludes `cancelledBy`. */
  readonly where?: BulkWhere;
  /** As of {@link BulkOptions}. */
  readonly cancelledBy?: string;
  /** Where counting stops: 1 to 100,000. @default 10000 */
  readonly most?: number;
}

/** A run of the workflow with this name. */
export type RunOf<Known, Name extends keyof Known & string, Classes extends EventClasses = {}> = ClientRun<
  ClientResult<Known, Name, Classes>,
  ClientShown<Known, Name, Classes>,
  Classes
>;

export interface Client<Known, Classes extends EventClasses = {}> extends ClientFacts<Known> {
  /** Runs that begin by the calendar, where the server offers them. */
  readonly schedules: ClientSchedules<Known>;
  /**
   * Starts a run. Returns synchronously; `await run.accepted` resolves when the start is stored.
   *
   * When the response is lost, the request is repeated without starting a second run.
   */
  run<Name extends keyof Known & string>(
    workflow: Name,
    ...args: {} extends ClientInput<Known, Name>
      ? [input?: ClientInput<Known, Name>, options?: RunOptions]
      : [input: ClientInput<Known, Name>, options?: RunOptions]
  ): RunOf<Known, Name, Classes>;
  /** Refers to an existing run. With the name of its workflow, its result and events are typed. */
  handle<Name extends keyof Known & string = never>(
    handlerId: string,
    options?: CallOptions & { readonly workflow?: Name },
  ): [Name] extends [never] ? ClientRun<unknown, SomeEvent, Classes> : RunOf<Known, Name, Classes>;
  /** Lists runs, newest first, in pages. */
  runs(filter?: RunFilter<keyof Known & string>): Promise<RunPage>;
  /**
   * Iterates over all runs, newest first. Pages are requested while reading.
   *
   * @example
   * for await (const run of client.eachRun({ labels: { customer: "c-1" }, waiting: true })) console.log(run.handlerId);
   */
  eachRun(filter?: EachRunFilter<keyof Known & string>): AsyncIterable<RunSummary>;
  /**
   * Keeps a list of runs up to date. It survives lost connections, each with another `open`, and ends with its `signal`, or when the
   * loop is left.
   *
   * @example
   * for await (const change of client.watchRuns({ workflow: "joke" })) {
   *   if (change.type === "open" || change.type === "reset") show((await client.runs({ workflow: "joke" })).runs);
   *   if (change.type === "changed") put(change.run);
   *   if (change.type === "gone") remove(change.handlerId);
   * }
   */
  watchRuns(filter?: RunSelection<keyof Known & string>): AsyncIterable<RunListChange>;
  /** Starts a run from the state of another run after one of its ticks. */
  fork(handlerId: string, options: ForkOptions): ClientRun<unknown, SomeEvent, Classes>;
  /** Continues a cancelled run. */
  resume(handlerId: string, options?: KeyedOptions): ClientRun<unknown, SomeEvent, Classes>;
  /** Runs the failed and leftover work of a failed run again. */
  retry(handlerId: string, options?: KeyedOptions): ClientRun<unknown, SomeEvent, Classes>;
  /**
   * Starts a job that does one action to all runs that match: each once, also if processes die. The job is a run: its stream has
   * `millrace.bulk.progress`, `cancel` stops it, `client.resume` continues it, and its result names what was skipped or has failed.
   *
   * @example
   * const { done } = await client.bulk({ action: "retry", where: { status: "failed", workflow: "refund" } });
   */
  bulk(options: BulkOptions): ClientRun<BulkResult, SomeEvent, Classes>;
  /** Counts the runs that `bulk` would act on. */
  matching(options: MatchOptions): Promise<RunMatches>;
  /** Deletes a run with everything stored of it. A run that has not ended is cancelled first. */
  delete(handlerId: string, options?: CallOptions): Promise<void>;
  /** Iterates over the ticks of a run, in order. Pages are requested while reading. */
  history(handlerId: string, options?: HistoryOptions): AsyncIterable<HistoryEntry>;
  /** Iterates over the attempts of all steps of a run and its children, in the order in which they were started. */
  attempts(handlerId: string, options?: AttemptsOptions): AsyncIterable<RunAttempt>;
  /** Reads the run, or a child of it, as it was after a tick: its state, what each step was doing, what it asked. */
  at(handlerId: string, tick: number, options?: MomentOptions): Promise<RunMoment>;
  /** Lists the runs that the steps of a run have started, and theirs. */
  children(handlerId: string, options?: CallOptions): Promise<readonly ChildRun[]>;
  /** Reads the snapshot of a run, for `Context.fromDict`. */
  snapshot(handlerId: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
}
