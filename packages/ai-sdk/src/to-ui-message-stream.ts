import { codeOf } from "@millrace/server/door";
import type { UIMessageChunk } from "ai";
import type { RunHandle } from "millrace/runtime";
import { runChunks } from "./stream/run-chunks.js";
import type { MapEvent } from "./stream/run-message.js";

/** Options of `toUIMessageStream`. */
export interface MessageStreamOptions {
  /**
   * Shows events that steps write with `ctx.writeEventToStream`. Chunks of a step that runs again are removed
   * automatically.
   *
   * @default events of a workflow are not shown; words of agents, questions and the result are
   */
  readonly map?: MapEvent;
  /** Text of the error of a failed run, for the reader. @default its code, without its message */
  readonly errorText?: (error: unknown) => string;
  /** Ends the reading, not the run. */
  readonly signal?: AbortSignal;
}

/**
 * A run as the stream of one message of the assistant, from its beginning. It ends with the run, or where the run
 * waits for a person.
 *
 * The id of the message is the id of the run.
 *
 * @example
 * return createUIMessageStreamResponse({ stream: toUIMessageStream(runtime.run("report", input)) });
 */
export function toUIMessageStream(
  handle: RunHandle,
  { map, errorText = codeOf, signal }: MessageStreamOptions = {},
): ReadableStream<UIMessageChunk> {
  return streamOf((left) =>
    runChunks(handle, { map, errorText, signal: signal === undefined ? left : AbortSignal.any([left, signal]) }),
  );
}

/** A stream that is read as its reader asks for more, and ended when it leaves. */
export function streamOf(
  open: (signal: AbortSignal) => AsyncGenerator<UIMessageChunk>,
): ReadableStream<UIMessageChunk> {
  const left = new AbortController();
  const chunks = open(left.signal);
  return new ReadableStream(
    {
      async pull(target) {
        const { done, value } = await chunks.next();
        if (done) target.close();
        else target.enqueue(value);
      },
      cancel: (reason) => left.abort(reason),
    },
    { highWaterMark: 0 },
  );
}
