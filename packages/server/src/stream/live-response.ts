/**
 * A response that lasts while something happens. An item is read only when the client is ready for it. A client that disconnects stops
 * the reading, and nothing else.
 *
 * ```
 * client takes ──► pull ──► next item, or a heartbeat
 * ```
 *
 * The response ends cleanly with the items. Any other end breaks it, so that the client reconnects.
 *
 * @module
 */
import { afterMs } from "../system.js";

/** What every stream has. */
export interface KeptOpen {
  /** Milliseconds of silence after which a stream over SSE gets a comment. */
  readonly heartbeatMs: number;
  /** Called with the first read. Returns the function to call at the end. */
  readonly onOpen: () => () => void;
  readonly onError: (error: unknown) => void;
}

export interface Live<Item> extends KeptOpen {
  readonly format: "sse" | "ndjson";
  /** Called with the first read. The signal aborts when the client disconnects. */
  readonly open: (signal: AbortSignal) => AsyncIterator<Item>;
  /** What is sent of an item. */
  readonly text: (item: Item) => string;
  /** What is sent at the clean end. @default nothing */
  readonly end?: string;
  /** An error that only means that this process has no more: the response ends without its `end`, and the client reconnects. */
  readonly isPassing: (error: unknown) => boolean;
}

const utf8 = new TextEncoder();

export function liveResponse<Item>(live: Live<Item>): Response {
  return streamed(new LiveReading(live), live.format === "sse" ? "text/event-stream" : "application/x-ndjson");
}

/** The source of the parts of a stream. */
interface Reading {
  pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void>;
  /** Called when the client has disconnected. */
  close(): void;
}

export function streamed(reading: Reading, type: string): Response {
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => reading.pull(controller), cancel: () => reading.close() },
    { highWaterMark: 0 }, // nothing is read before the client asks
  );
  return new Response(body, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no", // or nginx holds events back
    },
  });
}

const heartbeat = Symbol("heartbeat");

class LiveReading<Item> implements Reading {
  readonly #live: Live<Item>;
  #reader: AsyncIterator<Item> | null = null;
  /** The pending read of the next item. */
  #next: Promise<IteratorResult<Item>> | null = null;
  #release: () => void = () => {};
  readonly #hungUp: AbortController = new AbortController();
  #isClosed = false;

  constructor(live: Live<Item>) {
    this.#live = live;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { format, open, onOpen, isPassing, onError, end } = this.#live;
    try {
      if (this.#reader === null) {
        this.#release = onOpen();
        this.#reader = open(this.#hungUp.signal);
        if (format === "sse") return controller.enqueue(utf8.encode("retry: 1000\n\n"));
      }
      const chunk = await this.#chunk(this.#reader);
      if (this.#isClosed) return; // the client has disconnected
      if (chunk !== null) return controller.enqueue(utf8.encode(chunk));
      this.close();
      if (end !== undefined) controller.enqueue(utf8.encode(end));
      controller.close();
    } catch (error) {
      if (this.#isClosed) return;
      this.close();
      if (isPassing(error)) return controller.close();
      onError(error);
      controller.error(brokenOff());
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#hungUp.abort();
    this.#release();
    // A cancelled read fails, and its client has left.
    this.#next?.catch(() => {});
    void this.#reader?.return?.()?.catch(() => {});
  }

  /** Next text to send; `null` at the end. */
  async #chunk(reader: AsyncIterator<Item>): Promise<string | null> {
    const { format, text } = this.#live;
    for (;;) {
      this.#next ??= reader.next();
      const first = await this.#orHeartbeat(this.#next);
      if (first === heartbeat) {
        if (format === "sse") return ": heartbeat\n\n";
        continue;
      }
      this.#next = null;
      return first.done === true ? null : text(first.value);
    }
  }

  async #orHeartbeat<Value>(next: Promise<Value>): Promise<Value | typeof heartbeat> {
    let cancelTimer = (): void => {};
    const silence = new Promise<typeof heartbeat>((resolve) => {
      cancelTimer = afterMs(this.#live.heartbeatMs, () => resolve(heartbeat));
    });
    try {
      return await Promise.race([next, silence]);
    } finally {
      cancelTimer();
    }
  }
}

/** Has no stack, because adapters print it; the cause is in the log. */
function brokenOff(): Error {
  const error = new Error("The stream broke off.");
  delete error.stack;
  return error;
}
