/**
 * Server-Sent Events of one connection.
 *
 * A frame counts once its blank line has come: of a connection that is cut in the middle of one, nothing of it is seen.
 *
 * @module
 */
import { createParser } from "eventsource-parser";

export interface SseFrame {
  readonly id: string | undefined;
  readonly data: string;
}

/** `onBytes` is called for everything that comes, heartbeats included, and reading waits for the caller. */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  onRead: { readonly before: () => void; readonly after: () => void },
): AsyncGenerator<SseFrame, void> {
  const reader = body.getReader();
  const utf8 = new TextDecoder();
  let frames: SseFrame[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => frames.push({ id, data }) });
  try {
    for (;;) {
      onRead.before();
      const { done, value } = await reader.read();
      if (done) return;
      onRead.after();
      parser.feed(utf8.decode(value, { stream: true }));
      const complete = frames;
      frames = [];
      yield* complete;
    }
  } finally {
    // Closes the connection where the caller stopped early; one that is broken already has nothing to close.
    await reader.cancel().catch(() => {});
  }
}
