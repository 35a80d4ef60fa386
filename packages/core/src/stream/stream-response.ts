import { encodeEvent } from "../event/event-codec.js";
import type { ValueType } from "../value/storable.js";
import type { StreamedEvent } from "./streamed-event.js";

export interface ResponseOptions {
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

export interface ResponseSource {
  readonly items: AsyncIterable<StreamedEvent>;
  readonly types: readonly ValueType[];
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function toResponse({ items, types }: ResponseSource, options: ResponseOptions = {}): Response {
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
