/**
 * The stream of a run for its readers: its types, its stages, and its web response.
 *
 * The stream of a run: keeps the last events for any number of readers.
 *
 * Publishing never waits for a reader. A reader is only a position, so an abandoned one leaves nothing behind. A reader
 * that falls behind the kept events gets an error.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { classOf, type EventClass, isEventClass, type WorkflowEvent } from "../event/event.js";
import { encodeEvent } from "../event/event-codec.js";
import { Deferred } from "../system/deferred.js";
import { assertFunction, assertSignal, checkOptionNames, positiveInteger } from "../value/options.js";
import type { ValueType } from "../value/storable.js";

export type StreamPredicate<Event extends WorkflowEvent> = (event: Event, item: StreamedEvent<Event>) => boolean;

/**
 * The events of a run. Every iteration starts with the first event and gets all of them; iterations may overlap.
 *
 * @example
 * for await (const { event } of handler.streamEvents().filter(Progress)) console.log(event.percent);
 */
export interface RunStream<out Event extends WorkflowEvent = WorkflowEvent>
  extends AsyncIterable<StreamedEvent<Event>> {
  /** Keeps only events of exactly this class. */
  filter<Kept extends WorkflowEvent>(event: EventClass<Kept>): RunStream<Kept>;
  /** Keeps only events that pass. */
  filter(predicate: StreamPredicate<Event>): RunStream<Event>;
  /** Ends after the first event of this class, or the first that passes, which is included. */
  until(last: EventClass | StreamPredicate<Event>): RunStream<Event>;
  /** Ends after this many events. */
  take(count: number): RunStream<Event>;
  /** Yields only the events, without sequence number and origin. */
  events(): AsyncIterable<Event>;
  /** Resolves with all events when the stream has ended. */
  toArray(): Promise<StreamedEvent<Event>[]>;
  /**
   * Makes a web-standard response that ends with the stream. A client that disconnects stops the reading, not the run.
   *
   * @example
   * return handler.streamEvents().toResponse({ format: "ndjson" });
   */
  toResponse(options?: ResponseOptions): Response;
}

export interface StreamOptions {
  /** Starts after this sequence number. @default the first event that is kept */
  readonly after?: number;
  /** Aborts the reading, which throws the reason. */
  readonly signal?: AbortSignal;
}

/** Position of a reader. */
export interface StreamCursor {
  /** Sequence number of the last event read; `undefined` before the first read. */
  after: number | undefined;
}

/** A source of events: the memory of a run, or a store. */
export interface StreamSource {
  /** Value types of the user, for encoding. */
  readonly types: readonly ValueType[];
  /**
   * The next event for this reader; `null` at the end; `undefined` when it has to wait for {@link changed}.
   *
   * @throws {WorkflowError} `STREAM_TRUNCATED` when events that it has not read are gone.
   */
  next(cursor: StreamCursor): StreamedEvent | null | undefined;
  /** Resolves when there may be more to read for this reader. */
  changed(cursor: StreamCursor): Promise<void>;
  /** Makes every waiting reader look again. */
  wake(): void;
}

/** An event in the stream of a run. */
export interface StreamedEvent<out Event extends WorkflowEvent = WorkflowEvent> {
  /** Number of the event, one more than that of the event before. */
  readonly sequence: number;
  readonly event: Event;
  /** Path of the child run that emitted the event; `null` for the run itself. */
  readonly origin: string | null;
  /** Id for `handler.answer(promptId, fields)`; `null` when the event is not a prompt. */
  readonly promptId: string | null;
  /**
   * The work item that wrote the event: equal for all events of one work item and for its {@link StepRestartedEvent}s,
   * different for others, also of children. Absent if the event does not come again when a step restarts, as a prompt.
   */
  readonly writer?: string;
  /** The call of `ctx.run` or `editState` inside of which the event was written. Absent outside of calls. */
  readonly call?: string;
}

export function createRunStream(source: StreamSource, options: StreamOptions): RunStream {
  checkOptionNames("streamEvents", options);
  assertSignal(options.signal);
  return streamThrough(source, options, []);
}

function streamThrough(source: StreamSource, options: StreamOptions, stages: readonly Stage[]): RunStream {
  const through = (stage: Stage): RunStream => streamThrough(source, options, [...stages, stage]);
  const stream: RunStream = {
    // biome-ignore lint/suspicious/noExplicitAny: the two overloads differ in what they narrow to
    filter(kept: EventClass | StreamPredicate<WorkflowEvent>): RunStream<any> {
      const passes = toPredicate(kept);
      return through(() => (item) => (passes(item.event, item) ? "keep" : "drop"));
    },
    until(last) {
      const passes = toPredicate(last);
      return through(() => (item) => (passes(item.event, item) ? "last" : "keep"));
    },
    take(count) {
      positiveInteger(count, "take");
      return through(() => {
        let left = count;
        return () => (--left > 0 ? "keep" : "last");
      });
    },
    async *events() {
      for await (const item of stream) yield item.event;
    },
    async toArray() {
      const items: StreamedEvent[] = [];
      for await (const item of stream) items.push(item);
      return items;
    },
    toResponse: (response) => toResponse(stream, source.types, response),
    [Symbol.asyncIterator]: () => createStreamReader(source, options, stages),
  };
  return stream;
}

function toPredicate(wanted: EventClass | StreamPredicate<WorkflowEvent>): StreamPredicate<WorkflowEvent> {
  if (isEventClass(wanted)) return (event) => classOf(event) === wanted;
  assertFunction(wanted, "predicate");
  return wanted;
}

/** Verdict on an item: skip it, yield it, or yield it as the last one. */
type StageVerdict = "drop" | "keep" | "last";
/** Called once for every reader, because a stage may count. */
type Stage = () => (item: StreamedEvent) => StageVerdict;

type Result = IteratorResult<StreamedEvent, undefined>;

/**
 * Reads a stream through stages.
 *
 * Not an async generator, whose `return` waits for a pending `next`: a disconnect would not end the reading.
 */
function createStreamReader(
  source: StreamSource,
  { after, signal }: StreamOptions,
  stages: readonly Stage[],
): AsyncIterator<StreamedEvent, undefined> {
  const cursor: StreamCursor = { after };
  const fates = stages.map((stage) => stage());
  let closed = false;
  let turn: Promise<unknown> = Promise.resolve();

  const shows = (item: StreamedEvent): boolean => {
    for (const fateOf of fates) {
      const fate = fateOf(item);
      if (fate === "drop") return false;
      if (fate === "last") closed = true;
    }
    return true;
  };
  const read = async (): Promise<Result> => {
    while (!closed) {
      signal?.throwIfAborted();
      const item = source.next(cursor);
      if (item === null) break;
      if (item === undefined) await changed(source, cursor, signal);
      else if (shows(item)) return { done: false, value: item };
    }
    return close();
  };
  const close = async (): Promise<Result> => {
    closed = true;
    return { done: true, value: undefined };
  };

  return {
    /** Calls run one after the other, so that a later one does not get the earlier event. */
    next() {
      const result = turn.then(read, read);
      turn = result;
      return result;
    },
    return() {
      const result = close();
      source.wake(); // ends a pending `next` of this reader; other readers look again and wait
      return result;
    },
  };
}

async function changed(source: StreamSource, cursor: StreamCursor, signal: AbortSignal | undefined): Promise<void> {
  const wake = (): void => source.wake();
  signal?.addEventListener("abort", wake);
  await source.changed(cursor);
  signal?.removeEventListener("abort", wake);
}

interface ResponseOptions {
  /** Server-Sent Events, or one JSON object per line. @default "sse" */
  readonly format?: "sse" | "ndjson";
  /** Added to the headers of the response, which they replace. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An event in the form that travels over HTTP. `meta` describes values that JSON cannot hold; `promptId` is set for
 * prompts.
 */
export interface StreamEnvelope {
  readonly type: string;
  readonly sequence: number;
  readonly origin: string | null;
  readonly promptId?: string;
  readonly writer?: string;
  readonly call?: string;
  readonly data: unknown;
  readonly meta?: unknown;
  /** Version of the event class, when it is above 1. */
  readonly version?: number;
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path of a field that cannot be encoded. */
export function toEnvelope(item: StreamedEvent, types: readonly ValueType[]): StreamEnvelope {
  const { event, promptId, ...place } = item;
  const encoded = encodeEvent(event, event.type, types);
  return { ...encoded, ...place, ...(promptId === null ? null : { promptId }) };
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
function toResponse(
  items: AsyncIterable<StreamedEvent>,
  types: readonly ValueType[],
  options: ResponseOptions = {},
): Response {
  const sse = options.format !== "ndjson";
  const utf8 = new TextEncoder();
  let reader: AsyncIterator<StreamedEvent> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reader ??= items[Symbol.asyncIterator]();
        const { done, value } = await reader.next();
        if (done === true) return controller.close();
        const json = JSON.stringify(toEnvelope(value, types));
        controller.enqueue(utf8.encode(sse ? `id: ${value.sequence}\ndata: ${json}\n\n` : `${json}\n`));
      },
      async cancel() {
        await reader?.return?.();
      },
    },
    { highWaterMark: 0 }, // nothing is read before the client asks
  );
  return new Response(body, {
    headers: {
      "content-type": sse ? "text/event-stream; charset=utf-8" : "application/x-ndjson; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no", // or nginx holds events back
      ...options.headers,
    },
  });
}

export interface EventStreamSettings {
  /** Number of events to keep, at least 1. */
  readonly limit: number;
  /** Sequence number of the first event that will be published. */
  readonly nextSequence: number;
  /** Value types of the user, for encoding. */
  readonly types: readonly ValueType[];
}

export class EventStream implements StreamSource {
  /** A ring: an event is in slot `(sequence - first) % limit`. */
  #items: StreamedEvent[] = [];
  readonly #limit: number;
  readonly #first: number;
  /** @internal */
  readonly types: readonly ValueType[];
  #next: number;
  #isOver = false;
  #change: Deferred<void> | null = null;

  constructor({ limit, nextSequence, types }: EventStreamSettings) {
    this.#limit = limit;
    this.#first = nextSequence;
    this.#next = nextSequence;
    this.types = types;
  }

  /** Sequence numbers have no gaps. */
  publish(item: StreamedEvent): void {
    if (this.#isOver) return; // a stopped run publishes nothing more
    // A literal list of one item takes the memory of one: most waiting runs have only shown their prompt.
    if (this.#items.length === 0) this.#items = [item];
    else this.#items[(item.sequence - this.#first) % this.#limit] = item;
    this.#next = item.sequence + 1;
    this.wake();
  }

  /** Ends the stream: readers get the kept events, and then the end. */
  end(): void {
    this.#isOver = true;
    this.wake();
  }

  read(options: StreamOptions = {}): RunStream {
    return createRunStream(this, options);
  }

  /**
   * The next event for this reader; `null` at the end; `undefined` when it has to wait for {@link changed}.
   *
   * @internal
   * @throws {WorkflowError} `STREAM_TRUNCATED` when events that it has not read are gone.
   */
  next(cursor: StreamCursor): StreamedEvent | null | undefined {
    const oldest = Math.max(this.#first, this.#next - this.#limit);
    const after = Math.floor(cursor.after ?? oldest - 1);
    if (!(after + 1 >= oldest)) throw this.#truncated(after, oldest); // also for NaN
    cursor.after = after;
    if (after + 1 < this.#next) return this.#items[(++cursor.after - this.#first) % this.#limit];
    return this.#isOver ? null : undefined;
  }

  /** Resolves when there may be more to read. All waiting readers share one promise. @internal */
  changed(): Promise<void> {
    this.#change ??= new Deferred();
    return this.#change.promise;
  }

  /** @internal */
  wake(): void {
    this.#change?.resolve();
    this.#change = null;
  }

  #truncated(after: number, oldest: number): WorkflowError {
    return new WorkflowError({
      code: "STREAM_TRUNCATED",
      message: `The stream keeps ${this.#limit} events, from number ${oldest} on; this reader has seen ${after}.`,
      hint: "Read without `after`, read faster, or raise `streamBuffer`.",
      details: { after, oldest },
    });
  }
}
