/**
 * Server-Sent Events of one connection.
 *
 * A frame counts once its blank line has arrived: a frame that is cut off is dropped.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 * @module
 */
import { orAborted } from "../system.js";

export interface SseFrame {
  readonly id: string | undefined;
  /** Name of the event; `undefined` for a plain message. */
  readonly event: string | undefined;
  readonly data: string;
}

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
  const take = frameParser();
  try {
    for (;;) {
      before();
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return;
      after();
      yield* take(utf8.decode(value, { stream: true }));
    }
  } finally {
    // Closes the connection when the caller has stopped early; a broken connection has nothing to close.
    await reader.cancel().catch(() => {});
  }
}

/** Returns the complete frames of each piece of text. */
export function frameParser(): (piece: string) => SseFrame[] {
  const line = lineSplitter();
  let id: string | undefined;
  let event: string | undefined;
  let data: string[] = [];
  return (piece) =>
    line(piece).flatMap((text) => {
      if (text === "") {
        const frames = data.length > 0 ? [{ id, event, data: data.join("\n") }] : [];
        [id, event, data] = [undefined, undefined, []];
        return frames;
      }
      const [, name, value = ""] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(text) as unknown as [string, string, string?];
      if (name === "data") data.push(value);
      if (name === "id") id = value;
      if (name === "event") event = value;
      return []; // a comment, such as a heartbeat, or a field without meaning here
    });
}

/** Splits at LF, CR or CR LF. The two characters of CR LF may arrive in two pieces. */
function lineSplitter(): (piece: string) => string[] {
  let parts: string[] = [];
  let endedWithCr = false;
  return (piece) => {
    const text = endedWithCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") endedWithCr = piece.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
    parts.push(first); // joined when the line ends, because a long line arrives in many pieces
    if (rest.length === 0) return [];
    const lines = [parts.join(""), ...rest];
    parts = [lines.pop() as string];
    return lines;
  };
}
