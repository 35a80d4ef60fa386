/**
 * Server-Sent Events of one connection.
 *
 * A frame counts once its blank line has arrived: a frame that is cut off is dropped.
 * Where a server ends lines with CR alone, a line counts once more bytes have arrived; those of Millrace write LF.
 *
 * @module
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { orAborted } from "../system.js";

/** `event` is undefined for a plain message. */
export type SseFrame = EventSourceMessage;

export interface SseReading {
  /** Called before and after every wait for bytes, heartbeats included. */
  readonly before: () => void;
  readonly after: () => void;
  /** Ends the wait for bytes. A real `fetch` does so by itself; one that calls a server in the same process may not. */
  readonly signal?: AbortSignal;
}

/**
 * Reads only when the caller asks.
 *
 * @throws the reason of `signal`
 */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  { before, after, signal }: SseReading,
): AsyncGenerator<SseFrame, void> {
  const reader = body.getReader();
  const utf8 = new TextDecoder(); // removes the byte order mark
  const frames: SseFrame[] = [];
  const parser = createParser({ onEvent: (frame) => frames.push(frame) });
  try {
    for (;;) {
      before();
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return;
      after();
      parser.feed(utf8.decode(value, { stream: true }));
      yield* frames.splice(0);
    }
  } finally {
    // Closes the connection when the caller has stopped early; a broken connection has nothing to close.
    await reader.cancel().catch(() => {});
  }
}
