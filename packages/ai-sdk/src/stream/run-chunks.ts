/**
 * Reads a run until it ends or waits for a person, as the chunks of its message.
 *
 * @module
 */
import { UntilWaiting } from "@millrace/server/door";
import type { UIMessageChunk } from "ai";
import type { RunHandle } from "millrace/runtime";
import { RunMessage, type RunMessageOptions } from "./run-message.js";

export interface RunChunksOptions extends RunMessageOptions {
  /** Chunks of events up to this one are left out: the reader has them. @default none */
  readonly skipTo?: number;
  readonly signal: AbortSignal;
}

/** The chunks of the message. The run does not need a reader. */
export async function* runChunks(handle: RunHandle, options: RunChunksOptions): AsyncGenerator<UIMessageChunk> {
  const { skipTo = -1 } = options;
  const message = new RunMessage(options);
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const events = new UntilWaiting(handle, signal);
  const missed = new MissedChunks();
  yield { type: "start", messageId: handle.runId };
  try {
    for await (const streamed of events) {
      const chunks = message.take(streamed);
      if (streamed.sequence > skipTo) yield* [...missed.take(), ...chunks];
      else missed.skip(chunks);
      if (!message.isOver) continue;
      await handle.idle({ signal }); // who reads the chat after this stream finds the whole answer
      return;
    }
    yield* [...missed.take(), ...message.pause(new Set(events.openPrompts.map(({ promptId }) => promptId)))];
  } finally {
    ended.abort();
  }
}

/**
 * Chunks of the last step that say the same when they come twice. A reader that has the rest may lack them: another
 * page has given the answers that they follow from.
 */
class MissedChunks {
  #chunks: UIMessageChunk[] = [];

  skip(chunks: readonly UIMessageChunk[]): void {
    for (const chunk of chunks) {
      if (chunk.type === "start-step") this.#chunks = [];
      if (/^(data-question$|tool-output|tool-approval-response)/.test(chunk.type)) this.#chunks.push(chunk);
    }
  }

  take(): UIMessageChunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}
