/**
 * Collects what a generator function yields into one output.
 *
 * @module
 */
import { CollectedContent } from "./collected-content.js";
import { isExecutorResult, isRunEvent, type RunEventLike, toOutput } from "./function-result.js";
import { isStepOutput } from "./step-output.js";
import type { StepOutput } from "./step-output.types.js";

/** Listeners to what a generator yields while it runs. A returned promise is awaited before the next chunk is requested. */
export interface ChunkListeners {
  /** Receives an event of a run, to be forwarded. */
  readonly onEvent?: (event: RunEventLike) => unknown;
  /** Receives a piece of text that the function itself yielded. */
  readonly onText?: (text: string) => unknown;
}

/** The result of a generator function, or an async stream. */
export type Chunks = Iterable<unknown, unknown> | AsyncIterable<unknown, unknown>;

/** Recognizes generators and async streams. Lists, sets and maps are data. */
export function isChunks(value: unknown): value is Chunks {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncIterator in value || (Symbol.iterator in value && "next" in value);
}

/**
 * Runs a generator to its end and collects its chunks.
 *
 * - Text is concatenated, also the content events of agents and teams. The event that ends a run replaces that run's
 *   content and adds its media and metrics.
 * - A value that is not text replaces earlier content; text after it starts anew.
 * - The result of a run replaces the content, and adds its media and metrics.
 * - A step output is final: nothing after it is requested. So is the generator's return value, if any.
 *
 * When a listener throws, the generator is closed and the error is thrown.
 */
export async function collectChunks(chunks: Chunks, listeners: ChunkListeners = {}): Promise<StepOutput> {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const collected = new CollectedContent();
  let open = true;
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      const chunk = await value;
      if (done) open = false;
      if (isStepOutput(chunk) || (done && chunk !== undefined)) return toOutput(chunk);
      if (done) return collected.toOutput();
      await take(chunk, collected, listeners);
    }
  } finally {
    if (open) await iterator.return?.();
  }
}

async function take(chunk: unknown, collected: CollectedContent, listeners: ChunkListeners): Promise<void> {
  if (isExecutorResult(chunk)) return collected.addResult(chunk);
  if (isRunEvent(chunk)) {
    collected.addEvent(chunk);
    await listeners.onEvent?.(chunk);
    return;
  }
  collected.addChunk(chunk);
  if (typeof chunk === "string") await listeners.onText?.(chunk);
}
