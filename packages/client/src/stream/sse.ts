/**
 * Server-Sent Events of one connection.
 *
 * A frame counts once its blank line has come: of a connection that is cut in the middle of one, nothing of it is seen.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 * @module
 */

export interface SseFrame {
  readonly id: string | undefined;
  readonly data: string;
}

/** `before` and `after` are called around every wait for bytes, heartbeats included; reading waits for the caller. */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  onRead: { readonly before: () => void; readonly after: () => void },
): AsyncGenerator<SseFrame, void> {
  const reader = body.getReader();
  const utf8 = new TextDecoder(); // drops the byte order mark
  const take = frameParser();
  try {
    for (;;) {
      onRead.before();
      const { done, value } = await reader.read();
      if (done) return;
      onRead.after();
      yield* take(utf8.decode(value, { stream: true }));
    }
  } finally {
    // Closes the connection where the caller stopped early; one that is broken already has nothing to close.
    await reader.cancel().catch(() => {});
  }
}

/** Gives the frames that are complete with each piece of text. */
export function frameParser(): (piece: string) => SseFrame[] {
  const line = lineSplitter();
  let id: string | undefined;
  let data: string[] = [];
  return (piece) =>
    line(piece).flatMap((text) => {
      if (text === "") {
        const frames = data.length > 0 ? [{ id, data: data.join("\n") }] : [];
        [id, data] = [undefined, []];
        return frames;
      }
      const [, name, value = ""] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(text) as unknown as [string, string, string?];
      if (name === "data") data.push(value);
      if (name === "id") id = value;
      return []; // comments, which are the heartbeats, and what has no meaning here
    });
}

/** Lines end with LF, CR or CR LF; the two of the last one may come in two pieces. */
function lineSplitter(): (piece: string) => string[] {
  let parts: string[] = [];
  let endedWithCr = false;
  return (piece) => {
    const text = endedWithCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") endedWithCr = piece.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
    parts.push(first); // joined once the line ends: a long one comes in many pieces
    if (rest.length === 0) return [];
    const lines = [parts.join(""), ...rest];
    parts = [lines.pop() as string];
    return lines;
  };
}
