/** A run on the server: its stream, its prompts, its status. */
import type { Receipt, WorkflowEvent } from "millrace";
import type { JsonSchema } from "./about.types.js";
import type { CallOptions, KeyedOptions, QueueTicket, RunLabels } from "./call.types.js";
import type { WorkflowError } from "./client-error.js";
import type { ClientEvent, EventClasses, EventData, SomeEvent } from "./inferred.types.js";

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
