/**
 * Options and methods of a client.
 *
 * @module
 */
import type { BulkResult, RunAttempt, RunMatches } from "millrace/runtime";
import type { ClientFacts } from "./about.types.js";
import type { CallOptions, KeyedOptions, RunLabels } from "./call.types.js";
import type {
  AttemptsOptions,
  ChildRun,
  ForkOptions,
  HistoryEntry,
  HistoryOptions,
  MomentOptions,
  RunMoment,
} from "./history.types.js";
import type { RetryOptions } from "./http/backoff.js";
import type { HeadersSource } from "./http/transport.js";
import type { ClientInput, ClientResult, ClientShown, EventClasses, SomeEvent } from "./inferred.types.js";
import type {
  BulkOptions,
  EachRunFilter,
  MatchOptions,
  RunFilter,
  RunListChange,
  RunPage,
  RunSelection,
} from "./run-list.types.js";
import type { ClientRun, RunSummary } from "./run.types.js";
import type { ClientSchedules } from "./schedules.types.js";

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
