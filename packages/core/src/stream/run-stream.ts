import type { EventClass, WorkflowEvent } from "../event/event.js";
import { classOf, isEventClass } from "../event/facts.js";
import { checkOptionNames } from "../value/known-options.js";
import { assertFunction, assertSignal, positiveInteger } from "../value/options.js";
import type { StreamCursor, StreamOptions, StreamSource } from "./stream.types.js";
import { type ResponseOptions, toResponse } from "./stream-response.js";
import type { StreamedEvent } from "./streamed-event.js";

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
    toResponse: (response) => toResponse({ items: stream, types: source.types }, response),
    [Symbol.asyncIterator]: () => createStreamReader(source, options, stages),
  };
  return stream;
}

function toPredicate(wanted: EventClass | StreamPredicate<WorkflowEvent>): StreamPredicate<WorkflowEvent> {
  if (isEventClass(wanted)) return (event) => classOf(event) === wanted;
  assertFunction(wanted, "predicate");
  return wanted;
}

/** What to do with an item: skip it, yield it, or yield it as the last one. */
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
