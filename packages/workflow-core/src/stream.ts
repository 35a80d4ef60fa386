/**
 * The stream of a context, and what is derived from it. A web stream: one reader at a time, and a reader that stops early closes it.
 *
 * @module
 */
import { type InferWorkflowEventData, isWorkflowEvent, type WorkflowEvent, type WorkflowEventData } from "./event.js";
import { decodeEvents, encodeEvents } from "./lines.js";
import type { Subscribable } from "./subscribable.js";

type Test<Item> = (item: Item) => unknown;

/** A `ReadableStream` with methods for events. */
export class WorkflowStream<R = any> extends ReadableStream<R> implements AsyncIterable<R> {
  readonly #listen: (callback: (item: R) => void) => () => void;

  /**
   * @param subscribable What publishes the items, if the stream is one of a context.
   * @param rootStream Where the items are read from, if it is not.
   */
  constructor(subscribable: Subscribable<[R], void> | null, rootStream: ReadableStream<R> | null) {
    if (subscribable === null && rootStream === null)
      throw new TypeError("Either subscribable or root stream must be provided");
    const passing = new Set<(item: R) => void>();
    super(...(rootStream === null ? published(subscribable as Subscribable<[R], void>) : read(rootStream, passing)));
    this.#listen =
      subscribable?.subscribe ??
      ((callback) => {
        passing.add(callback);
        return () => void passing.delete(callback);
      });
  }

  /** Calls back for every message of an event, whether or not the stream is read. @returns Ends that. */
  on<T>(event: WorkflowEvent<T>, handler: (event: WorkflowEventData<T>) => void): () => void {
    return this.#listen((item) => {
      if (event.include(item)) handler(item);
    });
  }

  /** The items of another stream. */
  static fromReadableStream<T = any>(stream: ReadableStream<WorkflowEventData<any>>): WorkflowStream<T> {
    return new WorkflowStream<T>(null, stream as unknown as ReadableStream<T>);
  }

  /** Messages of a response that `toResponse` has made. Those of events that are not in `eventMap` are left out, with a warning. */
  static fromResponse(
    response: Response,
    eventMap: Record<string, WorkflowEvent<any>>,
  ): WorkflowStream<WorkflowEventData<any>> {
    if (response.body === null) throw new Error("Response body is not readable");
    return derive(decodeEvents(response.body, Object.values(eventMap)));
  }

  /** A response with a line of JSON for each message: its data, and the id of its event. */
  toResponse(
    init?: ResponseInit,
    transformer: TransformStream<WorkflowEventData<any>, string> = encodeEvents(),
  ): R extends WorkflowEventData<any> ? Response : never {
    const body = super
      .pipeThrough(transformer as unknown as TransformStream<R, string>)
      .pipeThrough(new TextEncoderStream());
    return new Response(body as unknown as ReadableStream<Uint8Array<ArrayBuffer>>, init) as never;
  }

  override pipeThrough<T>(
    transform: ReadableWritablePair<T, R>,
    options?: Parameters<ReadableStream["pipeThrough"]>[1],
  ): WorkflowStream<T> {
    return new WorkflowStream<T>(null, super.pipeThrough(transform, options));
  }

  override tee(): [WorkflowStream<R>, WorkflowStream<R>] {
    const [left, right] = super.tee();
    return [new WorkflowStream<R>(null, left), new WorkflowStream<R>(null, right)];
  }

  /** Reads to the end. */
  async forEach(callback: (item: R) => void): Promise<void> {
    for await (const item of items(this.getReader())) callback(item);
  }

  map<T>(callback: (item: R) => T): WorkflowStream<T> {
    return derive(mapped(this.getReader(), callback));
  }

  /** The first items; then the stream is closed. */
  take(limit: number): WorkflowStream<R> {
    return derive(taken(this.getReader(), limit));
  }

  /** Items that match: messages of an event, this item, or those for which a function returns true. */
  filter(
    predicate: R extends WorkflowEventData<any> ? WorkflowEvent<InferWorkflowEventData<R>> : never,
  ): WorkflowStream<R>;
  filter(predicate: R): WorkflowStream<R>;
  filter(predicate: (event: R) => boolean): WorkflowStream<R>;
  filter(predicate: unknown): WorkflowStream<R> {
    return derive(filtered(this.getReader(), testOf(predicate)));
  }

  /** Items up to the first that matches, that one included; then the stream is closed. */
  until(
    predicate: R extends WorkflowEventData<any> ? WorkflowEvent<InferWorkflowEventData<R>> : never,
  ): WorkflowStream<R>;
  until(predicate: (item: R) => boolean): WorkflowStream<R>;
  until(item: R): WorkflowStream<R>;
  until(predicate: unknown): WorkflowStream<R> {
    return derive(ended(this.getReader(), testOf(predicate)));
  }

  /** The first item that matches. Rejects if the stream ends before it. */
  untilEvent(
    predicate: R extends WorkflowEventData<any> ? WorkflowEvent<InferWorkflowEventData<R>> : never,
  ): Promise<R>;
  untilEvent(predicate: (item: R) => boolean): Promise<R>;
  untilEvent(item: R): Promise<R>;
  async untilEvent(predicate: unknown): Promise<R> {
    const matches = testOf<R>(predicate);
    for await (const item of items(this.getReader())) if (await matches(item)) return item;
    throw new Error("Stream ended without matching event");
  }

  /** Reads to the end. The stream of a context has none: use `until` or `take` first. */
  async toArray(): Promise<R[]> {
    const list: R[] = [];
    for await (const item of items(this.getReader())) list.push(item);
    return list;
  }
}

function testOf<Item>(predicate: unknown): Test<Item> {
  if (isWorkflowEvent(predicate)) return (item) => predicate.include(item);
  if (typeof predicate === "function") return predicate as Test<Item>;
  return (item) => item === predicate;
}

interface UnderlyingSource<Item> {
  readonly start?: (controller: ReadableStreamDefaultController<Item>) => void;
  readonly pull?: (controller: ReadableStreamDefaultController<Item>) => Promise<void>;
  readonly cancel: (reason?: unknown) => void | Promise<void>;
}
type Source<Item> = [UnderlyingSource<Item>, QueuingStrategy<Item>?];

function published<Item>(subscribable: Subscribable<[Item], void>): Source<Item> {
  let unsubscribe = (): void => {};
  return [
    {
      start(controller) {
        unsubscribe = subscribable.subscribe((item) => controller.enqueue(item));
      },
      cancel: () => unsubscribe(),
    },
  ];
}

function read<Item>(stream: ReadableStream<Item>, passing: ReadonlySet<(item: Item) => void>): Source<Item> {
  const reader = stream.getReader();
  return [
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        for (const callback of passing) callback(value);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  ];
}

function derive<Item>(iterator: AsyncGenerator<Item, void>): WorkflowStream<Item> {
  const source: UnderlyingSource<Item> = {
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return();
    },
  };
  return new WorkflowStream<Item>(null, new ReadableStream<Item>(source, { highWaterMark: 0 }));
}

/** Cancels the stream when its caller stops before the end. */
async function* items<Item>(reader: ReadableStreamDefaultReader<Item>): AsyncGenerator<Item, void> {
  let isAtEnd = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isAtEnd = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!isAtEnd) void reader.cancel().catch(() => {}); // the stream has failed, and its reader knows
    reader.releaseLock();
  }
}

async function* mapped<Item, Mapped>(
  reader: ReadableStreamDefaultReader<Item>,
  callback: (item: Item) => Mapped,
): AsyncGenerator<Mapped, void> {
  for await (const item of items(reader)) yield callback(item);
}

async function* taken<Item>(reader: ReadableStreamDefaultReader<Item>, limit: number): AsyncGenerator<Item, void> {
  let left = limit;
  if (left <= 0) return void (await items(reader).return());
  for await (const item of items(reader)) {
    yield item;
    if (--left <= 0) return;
  }
}

async function* filtered<Item>(
  reader: ReadableStreamDefaultReader<Item>,
  matches: Test<Item>,
): AsyncGenerator<Item, void> {
  for await (const item of items(reader)) if (await matches(item)) yield item;
}

async function* ended<Item>(
  reader: ReadableStreamDefaultReader<Item>,
  matches: Test<Item>,
): AsyncGenerator<Item, void> {
  for await (const item of items(reader)) {
    yield item;
    if (await matches(item)) return;
  }
}
