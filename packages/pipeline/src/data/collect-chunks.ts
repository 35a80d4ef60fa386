/**
 * Collects what a generator function yields into one output.
 *
 * @module
 */

import { isContentEvent, mediaOf, sumMetrics } from "@millrace/executor";
import {
  type ExecutorResult,
  isEndEvent,
  isExecutorResult,
  isRunEvent,
  type RunEventLike,
  resultOfEvent,
  resultOutput,
  toOutput,
} from "./function-result.js";
import { createOutput, isStepOutput } from "./step-output.js";
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

interface Piece {
  /** Id of the run; `null` for the function itself. */
  readonly runId: string | null;
  readonly content: unknown;
}

/**
 * The content that the chunks have made so far.
 *
 * Text is kept in pieces, by its run: when the run ends, its result replaces them, so that no text appears
 * twice. Runs inside of another run (members of a team, steps of a pipeline) are part of that run's result and do not
 * count again.
 */
class CollectedContent {
  #pieces: Piece[] = [];
  readonly #seen = new Set<string>();
  /** Results of ended runs, by run id. */
  readonly #runs = new Map<string, StepOutput>();

  /** Adds a chunk of the function itself. */
  addChunk(content: unknown): void {
    this.#add({ runId: null, content });
  }

  /** Adds the result of a run, which replaces all earlier content. */
  addResult(result: ExecutorResult): void {
    const output = resultOutput(result);
    this.#runs.set(result.runId, output);
    this.#pieces = [];
    this.#add({ runId: result.runId, content: output.content });
  }

  addEvent(event: RunEventLike): void {
    const { runId = null } = event;
    if (this.#isInside(event)) return;
    if (runId !== null) this.#seen.add(runId);
    if (isContentEvent(event)) this.#add({ runId, content: event.content });
    if (runId !== null && isEndEvent(event)) this.#end(resultOfEvent({ ...event, runId }));
  }

  /** The status is that of the last run; media and metrics are those of all runs. */
  toOutput(): StepOutput {
    const content = this.#pieces.reduce<unknown>((before, piece) => joined(before, piece.content), undefined);
    const runs = [...this.#runs.values()];
    const last = runs.at(-1);
    if (!last) return createOutput({ content });
    const metrics = sumMetrics(runs.map((run) => run.metrics));
    return createOutput({ ...last, content, metrics, ...mediaOf(runs) });
  }

  #isInside({ runId, parentRunId, workflowRunId }: RunEventLike): boolean {
    return [parentRunId, workflowRunId].some((outer) => outer && outer !== runId && this.#seen.has(outer));
  }

  #add(piece: Piece): void {
    if (piece.content !== undefined && piece.content !== null) this.#pieces.push(piece);
  }

  #end(result: ExecutorResult): void {
    const { runId } = result;
    const output = resultOutput(result);
    this.#runs.set(runId, output);
    if (output.content === undefined || output.content === null) return;
    const at = this.#pieces.findIndex((piece) => piece.runId === runId);
    const others = this.#pieces.filter((piece) => piece.runId !== runId);
    this.#pieces = others.toSpliced(at < 0 ? others.length : at, 0, { runId, content: output.content });
  }
}

/** Appends text to text; any other content replaces the earlier one. */
function joined(before: unknown, content: unknown): unknown {
  return typeof before === "string" && typeof content === "string" ? before + content : content;
}
