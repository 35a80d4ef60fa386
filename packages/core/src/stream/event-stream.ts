/**
 * The stream of a run: keeps the last events for any number of readers.
 *
 * Publishing never waits for a reader. A reader is only a position, so an abandoned one leaves nothing behind. A reader
 * that falls behind the kept events gets an error.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { Deferred } from "../system/deferred.js";
import type { ValueType } from "../value/storable.js";
import {
  createRunStream,
  type RunStream,
  type StreamCursor,
  type StreamedEvent,
  type StreamOptions,
  type StreamSource,
} from "./run-stream.js";

export interface EventStreamSettings {
  /** Number of events to keep, at least 1. */
  readonly limit: number;
  /** Sequence number of the first event that will be published. */
  readonly nextSequence: number;
  /** Value types of the user, for encoding. */
  readonly types: readonly ValueType[];
}

export class EventStream implements StreamSource {
  /** A ring: an event is in slot `(sequence - first) % limit`. */
  #items: StreamedEvent[] = [];
  readonly #limit: number;
  readonly #first: number;
  /** @internal */
  readonly types: readonly ValueType[];
  #next: number;
  #isOver = false;
  #change: Deferred<void> | null = null;

  constructor({ limit, nextSequence, types }: EventStreamSettings) {
    this.#limit = limit;
    this.#first = nextSequence;
    this.#next = nextSequence;
    this.types = types;
  }

  /** Sequence numbers have no gaps. */
  publish(item: StreamedEvent): void {
    if (this.#isOver) return; // a stopped run publishes nothing more
    // A literal list of one item takes the memory of one: most waiting runs have only shown their prompt.
    if (this.#items.length === 0) this.#items = [item];
    else this.#items[(item.sequence - this.#first) % this.#limit] = item;
    this.#next = item.sequence + 1;
    this.wake();
  }

  /** Ends the stream: readers get the kept events, and then the end. */
  end(): void {
    this.#isOver = true;
    this.wake();
  }

  read(options: StreamOptions = {}): RunStream {
    return createRunStream(this, options);
  }

  /**
   * The next event for this reader; `null` at the end; `undefined` when it has to wait for {@link changed}.
   *
   * @internal
   * @throws {WorkflowError} `STREAM_TRUNCATED` when events that it has not read are gone.
   */
  next(cursor: StreamCursor): StreamedEvent | null | undefined {
    const oldest = Math.max(this.#first, this.#next - this.#limit);
    const after = Math.floor(cursor.after ?? oldest - 1);
    if (!(after + 1 >= oldest)) throw this.#truncated(after, oldest); // also for NaN
    cursor.after = after;
    if (after + 1 < this.#next) return this.#items[(++cursor.after - this.#first) % this.#limit];
    return this.#isOver ? null : undefined;
  }

  /** Resolves when there may be more to read. All waiting readers share one promise. @internal */
  changed(): Promise<void> {
    this.#change ??= new Deferred();
    return this.#change.promise;
  }

  /** @internal */
  wake(): void {
    this.#change?.resolve();
    this.#change = null;
  }

  #truncated(after: number, oldest: number): WorkflowError {
    return new WorkflowError({
      code: "STREAM_TRUNCATED",
      message: `The stream keeps ${this.#limit} events, from number ${oldest} on; this reader has seen ${after}.`,
      hint: "Read without `after`, read faster, or raise `streamBuffer`.",
      details: { after, oldest },
    });
  }
}
