/**
 * What `createClient` takes and gives.
 *
 * @module
 */
import type { Receipt, WorkflowEvent } from "millrace";
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
import type { HistoryTick } from "./wire/contract.types.js";

export interface ClientOptions<Classes extends EventClasses = EventClasses> {
  /** Where the server is mounted: `"https://example.com/api"`, or `"/api"` in a browser. */
  readonly baseUrl: string | URL;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** For every request. A function is asked each time, so that a token can be renewed. */
  readonly headers?: HeadersSource;
  /** Of requests that do no harm a second time, and of streams. `false`: never. */
  readonly retry?: RetryOptions | false;
  /** An attempt that has no whole answer after this long has failed. @default 30000 */
  readonly timeoutMs?: number;
  /** A stream on which nothing comes for this long, not even a heartbeat, is opened again. @default 60000 */
  readonly streamTimeoutMs?: number;
  /** Events of these classes come as instances, made with `new`. @default none: events are plain objects */
  readonly events?: Classes;
}

export type RunLabels = { readonly [name: string]: string };

export interface CallOptions {
  /** Ends the waiting, not the run: for that there is `cancel()`. */
  readonly signal?: AbortSignal;
}

export interface KeyedOptions extends CallOptions {
  /** The server takes a second request with this key for the first one again. 1 to 200 ASCII characters. @default a random UUID */
  readonly key?: string;
}

export interface RunOptions extends KeyedOptions {
  /** 1 to 200 characters. One that exists is `RUN_ID_CONFLICT`, unless the `key` is the same. @default made of the `key`, else a random UUID */
  readonly handlerId?: string;
  /** To find it by, with `client.runs({ labels })`: at most 50. Names hold no `=` and do not begin with `millrace.`. */
  readonly labels?: RunLabels;
}

export interface SendOptions extends KeyedOptions {
  /** Only this step gets it. */
  readonly step?: string;
}

export interface CancelOptions extends KeyedOptions {
  readonly reason?: string;
}

export interface StreamOptions extends CallOptions {
  /** Only what comes after this sequence number. @default -1: everything */
  readonly after?: number;
}

/** One event of a stream. */
export interface StreamedEvent<out Event = SomeEvent> {
  /** Grows from event to event; the same for every reader. */
  readonly sequence: number;
  readonly event: Event;
  /** The path of the child run that it came from; null for the run itself. */
  readonly origin: string | null;
  /** Answer this prompt with `run.answer(promptId, fields)`. Null when the event is no prompt. */
  readonly promptId: string | null;
}

/** A prompt that nobody has answered yet. */
export interface PendingPrompt<out Event = SomeEvent> {
  readonly promptId: string;
  readonly event: Event;
  /** The run that asks: this one, or a child. */
  readonly runId: string;
}

interface SummaryBase {
  readonly handlerId: string;
  readonly workflow: string;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  /** Sequence number of the last event of the stream so far. -1: none yet. */
  readonly lastEvent: number;
  readonly labels: RunLabels;
}

/** Where a run stands. */
export type RunSummary<Result = unknown> = RunOutcome<Result> | (SummaryBase & { readonly status: "running" });

/** Where a run stands when it has nothing to do now. A run that took too long has failed, with the code `RUN_TIMED_OUT`. */
export type RunOutcome<Result = unknown> = SummaryBase &
  (
    | {
        readonly status: "waiting";
        readonly prompts: readonly PendingPrompt[];
        /** When it goes on by itself; null when only an answer or an event brings it on. */
        readonly wakeAtMs: number | null;
      }
    | { readonly status: "completed"; readonly endedAtMs: number; readonly result: Result }
    | { readonly status: "failed" | "cancelled"; readonly endedAtMs: number; readonly error: WorkflowError }
  );

/** An event to send: plain, or an instance. Events that end a run cannot be sent. */
export type SentEvent<Event extends WorkflowEvent> = WorkflowEvent extends Event
  ? SomeEvent | WorkflowEvent
  : Event | EventData<Event>;

/**
 * A run on the server. A promise of its result, so no async function returns one bare.
 *
 * The promise starts to look only when somebody awaits it. A run without a result rejects with a {@link WorkflowError}.
 */
export interface ClientRun<out Result = unknown, out Shown = SomeEvent, in out Classes extends EventClasses = {}>
  extends Promise<Result> {
  readonly handlerId: string;
  /** The start is stored. Of a run that was there, at once. */
  readonly accepted: Promise<void>;
  /**
   * Everything the run has shown and will show. Each iteration starts anew, and goes on over lost connections and restarts of
   * the server: no event is missing, none comes twice. It ends with the run.
   *
   * @example
   * for await (const { event } of run.stream()) console.log(event.type);
   */
  stream<Streamed extends WorkflowEvent = never>(
    options?: StreamOptions,
  ): AsyncIterable<StreamedEvent<Shown | ClientEvent<Streamed, Classes>>>;
  /** Brings an event into the run. A refusal is an answer, not an error. */
  sendEvent<Event extends WorkflowEvent = WorkflowEvent>(
    event: SentEvent<Event>,
    options?: SendOptions,
  ): Promise<Receipt>;
  /** Answers exactly this prompt. Refused when it is gone: `PROMPT_CLOSED`. */
  answer(promptId: string, fields?: object, options?: KeyedOptions): Promise<Receipt>;
  prompts(options?: CallOptions): Promise<readonly PendingPrompt<Shown>[]>;
  /** Stops the run and keeps its work: `client.resume(handlerId)` continues it. */
  cancel(options?: CancelOptions): Promise<void>;
  /** Resolves when nothing is left to do now: the run has ended, or waits for an answer, an event or a time. */
  idle(options?: CallOptions): Promise<RunOutcome<Result>>;
  /** As `await run`, but asked anew by each call, and with a `signal` that ends this waiting. */
  result(options?: CallOptions): Promise<Result>;
  /** Where the run stands at this moment. */
  summary(options?: CallOptions): Promise<RunSummary<Result>>;
}

/** Which runs. What is given must all be true of a run. */
export interface RunSelection<Name extends string = string> extends CallOptions {
  readonly workflow?: Name | readonly Name[];
  /** A run that waits is `running` here. */
  readonly status?: ListedStatus | readonly ListedStatus[];
  /** True: only runs that wait for an answer, an event or a time. False: only others. */
  readonly waiting?: boolean;
  /** Each of these, with exactly this text. */
  readonly labels?: RunLabels;
  /** Later than this: a Date, or milliseconds since 1970. */
  readonly createdAfter?: Date | number;
  readonly createdBefore?: Date | number;
}

export interface EachRunFilter<Name extends string = string> extends RunSelection<Name> {
  /** How many travel in one answer: 1 to 1,000. @default 100 */
  readonly pageSize?: number;
}

export interface RunFilter<Name extends string = string> extends RunSelection<Name> {
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

export type ListedStatus = "running" | "completed" | "failed" | "cancelled";

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Null: this is the last page. */
  readonly cursor: string | null;
}

export interface HistoryOptions extends CallOptions {
  /** Only ticks after this number. @default 0: all that are kept */
  readonly after?: number;
  /** How many travel in one answer: 1 to 1,000. @default 100 */
  readonly pageSize?: number;
}

export interface HistoryEntry {
  /** For `fork`. From 1; a fork's history begins with 0, `run.forked`. */
  readonly number: number;
  readonly atMs: number;
  /** The run that it happened to: this one, or a child. */
  readonly runId: string;
  readonly tick: HistoryTick;
}

export interface ForkOptions extends KeyedOptions {
  /** The tick after which the new run begins. */
  readonly at: number;
  /** @default made of the `key`, else a random UUID */
  readonly handlerId?: string;
  /** Replaces these fields of the state that it begins with. */
  readonly state?: Readonly<Record<string, unknown>>;
}

/** A JSON schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The steps and events of a workflow, and how they are connected. */
export interface WorkflowGraph {
  readonly name: string;
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly edges: readonly Readonly<Record<string, unknown>>[];
}

/** A run of the workflow of this name. */
export type RunOf<Known, Name extends keyof Known & string, Classes extends EventClasses = {}> = ClientRun<
  ClientResult<Known, Name, Classes>,
  ClientShown<Known, Name, Classes>,
  Classes
>;

export interface Client<Known, Classes extends EventClasses = {}> {
  /**
   * Starts a run, at once and synchronously. `await run.accepted` says that it is stored.
   *
   * Where the answer is lost, the request is sent again, and starts no second run.
   */
  run<Name extends keyof Known & string>(
    workflow: Name,
    ...args: {} extends ClientInput<Known, Name>
      ? [input?: ClientInput<Known, Name>, options?: RunOptions]
      : [input: ClientInput<Known, Name>, options?: RunOptions]
  ): RunOf<Known, Name, Classes>;
  /** A run that is on the server. With the name of its workflow, result and events are typed. */
  handle<Name extends keyof Known & string = never>(
    handlerId: string,
    options?: CallOptions & { readonly workflow?: Name },
  ): [Name] extends [never] ? ClientRun<unknown, SomeEvent, Classes> : RunOf<Known, Name, Classes>;
  /** Newest first, in pages. */
  runs(filter?: RunFilter<keyof Known & string>): Promise<RunPage>;
  /**
   * All of them, newest first. Pages are asked for as they are read.
   *
   * @example
   * for await (const run of client.eachRun({ labels: { customer: "c-1" }, waiting: true })) console.log(run.handlerId);
   */
  eachRun(filter?: EachRunFilter<keyof Known & string>): AsyncIterable<RunSummary>;
  /** A new run that begins where another one was after a tick. */
  fork(handlerId: string, options: ForkOptions): ClientRun<unknown, SomeEvent, Classes>;
  /** Continues a cancelled run. */
  resume(handlerId: string, options?: KeyedOptions): ClientRun<unknown, SomeEvent, Classes>;
  /** Runs the failed and leftover work of a failed run again. */
  retry(handlerId: string, options?: KeyedOptions): ClientRun<unknown, SomeEvent, Classes>;
  /** Deletes a run with everything that is stored of it. One that is going on is cancelled first. */
  delete(handlerId: string, options?: CallOptions): Promise<void>;
  /** What happened to a run, in order. Pages are asked for as they are read. */
  history(handlerId: string, options?: HistoryOptions): AsyncIterable<HistoryEntry>;
  /** The run as `Context.fromDict` takes it. */
  snapshot(handlerId: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;

  /** Names. */
  workflows(options?: CallOptions): Promise<readonly (keyof Known & string)[]>;
  /** Of the events that start and end its runs. */
  schema(
    workflow: keyof Known & string,
    options?: CallOptions,
  ): Promise<{ readonly start: JsonSchema; readonly stop: JsonSchema }>;
  /** Of all its events; `title` is the type. */
  events(workflow: keyof Known & string, options?: CallOptions): Promise<readonly JsonSchema[]>;
  representation(
    workflow: keyof Known & string,
    options?: CallOptions,
  ): Promise<{ readonly graph: WorkflowGraph; readonly mermaid: string }>;
  /** One attempt. `unhealthy`: it answers, and does not take work. */
  health(options?: CallOptions): Promise<{ readonly status: "healthy" | "unhealthy" }>;
}
