/**
 * Reads a run until it ends or waits for a person, as the chunks of its message.
 *
 * @module
 */
import type { UIMessageChunk } from "ai";
import type { RunOutcome, StreamedEvent } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { nowMs, passed } from "../system.js";
import { RunMessage, type RunMessageOptions } from "./run-message.js";

export interface RunChunksOptions extends RunMessageOptions {
  /** Chunks of events up to this one are left out: the reader has them. @default none */
  readonly skipTo?: number;
  readonly signal: AbortSignal;
}

/** The chunks of the message. The run goes on when nobody reads it. */
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
      if (message.isOver) return;
    }
    yield* [...missed.take(), ...message.pause(events.openPrompts)];
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

/** The events of a run up to the last one before it waits for a person. */
class UntilWaiting implements AsyncIterable<StreamedEvent> {
  readonly #handle: RunHandle;
  readonly #signal: AbortSignal;
  /** Prompts that were open when the reading ended. */
  openPrompts: ReadonlySet<string> = new Set();

  constructor(handle: RunHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamedEvent> {
    const events = this.#handle.streamEvents({ signal: this.#signal })[Symbol.asyncIterator]();
    let waits: Promise<number> | null = this.#lastBeforeWait();
    waits.catch(() => {}); // the next read reports the error
    let last = Number.POSITIVE_INFINITY;
    let next: Promise<IteratorResult<StreamedEvent>> | null = null;
    for (let seen = -1; seen < last; ) {
      next ??= events.next();
      const first: IteratorResult<StreamedEvent> | number = await Promise.race([
        next,
        ...(waits === null ? [] : [waits]),
      ]);
      if (typeof first === "number") {
        last = first;
        waits = null;
        continue;
      }
      next = null;
      if (first.done === true) return;
      seen = first.value.sequence;
      yield first.value;
    }
    next?.catch(() => {}); // it is aborted
  }

  /** Number of the last event when the run waits for a person. */
  async #lastBeforeWait(): Promise<number> {
    await waitingForPerson(this.#handle, this.#signal);
    this.openPrompts = new Set((await this.#handle.prompts()).map(({ promptId }) => promptId));
    return (await this.#handle.summary()).lastEvent;
  }
}

/** Resolves when only a person can continue the run; never, when it ends before. */
async function waitingForPerson(handle: RunHandle, signal: AbortSignal): Promise<void> {
  for (;;) {
    const outcome = await handle.idle({ signal });
    if (outcome.status !== "waiting") return new Promise(() => {}); // its last event ends the reading
    if (isForPerson(outcome)) return;
    await passed(Math.max((outcome.wakeAtMs ?? nowMs()) - nowMs(), 0) + 5, signal);
    signal.throwIfAborted();
  }
}

/**
 * A run that waits for a time continues by itself, such as a call that is made again; unless that time is only the
 * limit of a question.
 */
export function isForPerson(outcome: RunOutcome | null): boolean {
  if (outcome?.status !== "waiting") return false;
  const { wakeAtMs, prompts } = outcome;
  return wakeAtMs === null || prompts.some(({ dueAtMs }) => dueAtMs === wakeAtMs);
}
