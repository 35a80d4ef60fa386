/**
 * The stream of a run as a response. An event is read only when the client takes it. A client that goes away stops the
 * reading, not the run.
 *
 * ```
 * client takes ──► pull ──► next event
 *                       │   heartbeat
 *                       │   the run waits ──► one chunk, or the end
 * ```
 *
 * The stream ends cleanly with the run, or where it waits (`until: "idle"`). Any other end breaks the stream, so that
 * the client reconnects.
 *
 * @module
 */
import { type StreamedEvent, WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { afterMs } from "../system.js";
import { cleanJson } from "../wire/clean-text.js";
import { type EnvelopeOptions, toStreamedEnvelope } from "../wire/envelope.js";

export interface EventResponseOptions {
  readonly format: "sse" | "ndjson";
  readonly after: number;
  readonly until: "end" | "idle";
  readonly envelope: EnvelopeOptions;
  readonly heartbeatMs: number;
  /** Called with the first read. Returns the function to call at the end. */
  readonly onOpen: () => () => void;
  readonly onError: (error: unknown) => void;
}

/** What may come first while a client waits. */
type Upcoming =
  | { readonly kind: "event"; readonly event: StreamedEvent }
  | { readonly kind: "heartbeat" }
  | { readonly kind: "waits" }
  | { readonly kind: "end" };

const utf8 = new TextEncoder();

export function eventResponse(handle: RunHandle, options: EventResponseOptions): Response {
  const isSse = options.format === "sse";
  const reading = new EventReading(handle, options);
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => reading.pull(controller), cancel: () => reading.close() },
    { highWaterMark: 0 }, // nothing is read before the client asks
  );
  return new Response(body, {
    headers: {
      "content-type": isSse ? "text/event-stream; charset=utf-8" : "application/x-ndjson; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no", // or nginx holds events back
    },
  });
}

class EventReading {
  readonly #handle: RunHandle;
  readonly #options: EventResponseOptions;
  #reader: AsyncIterator<StreamedEvent> | null = null;
  /** The pending read of the next event. */
  #next: Promise<Upcoming> | null = null;
  /** Resolves when the run waits. */
  #waits: Promise<Upcoming> | null = null;
  /** Number of the last event to send; known once the run waits. */
  #last = Number.POSITIVE_INFINITY;
  #seen: number;
  #release: () => void = () => {};
  readonly #hungUp: AbortController = new AbortController();
  #isClosed = false;

  constructor(handle: RunHandle, options: EventResponseOptions) {
    this.#handle = handle;
    this.#options = options;
    this.#seen = options.after;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      if (this.#reader === null) {
        this.#open();
        if (this.#options.format === "sse") return controller.enqueue(utf8.encode("retry: 1000\n\n"));
      }
      const chunk = await this.#chunk();
      if (this.#isClosed) return; // the client has gone away
      if (chunk !== null) return controller.enqueue(utf8.encode(chunk));
      this.close();
      controller.close();
    } catch (error) {
      if (this.#isClosed) return;
      this.close();
      // A stream that ends without the run's last event makes the client reconnect, which is right here.
      if (this.#options.until === "end" && WorkflowError.is(error, "RUNTIME_STOPPED")) return controller.close();
      this.#options.onError(error);
      controller.error(brokenOff());
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#hungUp.abort();
    this.#release();
    void this.#reader?.return?.();
  }

  #open(): void {
    const { after, until, onOpen } = this.#options;
    this.#release = onOpen();
    this.#reader = this.#handle.streamEvents({ after })[Symbol.asyncIterator]();
    if (until === "end") return;
    this.#waits = this.#whenWaiting();
    this.#waits.catch(() => {}); // the next read reports the error
  }

  async #whenWaiting(): Promise<Upcoming> {
    const { status } = await this.#handle.idle({ signal: this.#hungUp.signal });
    if (status === "waiting") this.#last = (await this.#handle.summary()).lastEvent;
    return { kind: "waits" };
  }

  /** Next text to send; `null` at the end. */
  async #chunk(): Promise<string | null> {
    while (this.#seen < this.#last) {
      const coming = await this.#upcoming();
      switch (coming.kind) {
        case "event":
          return this.#text(coming.event);
        case "heartbeat":
          if (this.#options.format === "sse") return ": heartbeat\n\n";
          break;
        case "waits":
          this.#waits = null;
          break;
        case "end":
          return null;
      }
    }
    return null;
  }

  async #upcoming(): Promise<Upcoming> {
    this.#next ??= this.#read();
    let cancelTimer = (): void => {};
    const heartbeat = new Promise<Upcoming>((resolve) => {
      cancelTimer = afterMs(this.#options.heartbeatMs, () => resolve({ kind: "heartbeat" }));
    });
    try {
      const first = await Promise.race([this.#next, heartbeat, ...(this.#waits === null ? [] : [this.#waits])]);
      if (first.kind === "event") this.#next = null;
      return first;
    } finally {
      cancelTimer();
    }
  }

  async #read(): Promise<Upcoming> {
    const result = await (this.#reader as AsyncIterator<StreamedEvent>).next();
    return result.done === true ? { kind: "end" } : { kind: "event", event: result.value };
  }

  #text(item: StreamedEvent): string {
    this.#seen = item.sequence;
    const text = textOf(item, this.#options.envelope);
    return this.#options.format === "sse" ? `id: ${item.sequence}\ndata: ${text}\n\n` : `${text}\n`;
  }
}

/** Has no stack, because adapters print it; the cause is in the log. */
function brokenOff(): Error {
  const error = new Error("The stream broke off.");
  delete error.stack;
  return error;
}

/** Texts of events, with and without qualified names. All readers of a run get the same event objects. */
const texts: Readonly<Record<"named" | "bare", WeakMap<StreamedEvent, string>>> = {
  named: new WeakMap(),
  bare: new WeakMap(),
};

function textOf(item: StreamedEvent, options: EnvelopeOptions): string {
  const known = options.withQualifiedName === false ? texts.bare : texts.named;
  const text = known.get(item) ?? cleanJson(toStreamedEnvelope(item, options));
  known.set(item, text);
  return text;
}
