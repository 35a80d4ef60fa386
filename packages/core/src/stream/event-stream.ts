/**
 * What one run shows to the outside: the last events, for any number of readers.
 *
 * Publishing never waits for a reader, and a reader is no more than a position: one that is dropped
 * leaves nothing behind. One that falls behind what is kept is told so.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import type { ValueType } from "../value/plain.js";
import { createRunStream, type RunStream } from "./run-stream.js";
import type { StreamCursor, StreamOptions, StreamSource } from "./stream.types.js";
import type { StreamedEvent } from "./streamed-event.js";

export interface EventStreamSettings {
  /** How many of the last events are kept, from 1. */
  readonly limit: number;
  /** The sequence number of the first event it will be given. */
  readonly nextSequence: number;
  /** How the user's own values become JSON. */
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
  #end: { readonly error: unknown } | null = null;
  #change: { readonly promise: Promise<void>; readonly wake: () => void } | null = null;

  constructor({ limit, nextSequence, types }: EventStreamSettings) {
    this.#limit = limit;
    this.#first = nextSequence;
    this.#next = nextSequence;
    this.types = types;
  }

  get ended(): boolean {
    return this.#end !== null;
  }

  /** Sequence numbers have no gaps. */
  publish(item: StreamedEvent): void {
    if (this.#end !== null) return; // a stopped run says nothing more
    // As a literal, a list of one takes the room of one: most waiting runs have shown their prompt and nothing else.
    if (this.#items.length === 0) this.#items = [item];
    else this.#items[(item.sequence - this.#first) % this.#limit] = item;
    this.#next = item.sequence + 1;
    this.wake();
  }

  /** Readers get what is kept and end then; given an error, they throw it. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.wake();
  }

  read(options: StreamOptions = {}): RunStream {
    return createRunStream(this, options);
  }

  /**
   * The next event for this reader; null at the end; undefined when it has to wait for {@link changed}.
   *
   * @internal
   * @throws {WorkflowError} `STREAM_TRUNCATED` when events that it has not seen are gone.
   */
  next(cursor: StreamCursor): StreamedEvent | null | undefined {
    const oldest = Math.max(this.#first, this.#next - this.#limit);
    const after = Math.floor(cursor.after ?? oldest - 1);
    if (!(after + 1 >= oldest)) throw this.#truncated(after, oldest); // NaN too
    cursor.after = after;
    if (after + 1 < this.#next) return this.#items[(++cursor.after - this.#first) % this.#limit];
    if (this.#end === null) return undefined;
    if (this.#end.error !== undefined) throw this.#end.error;
    return null;
  }

  /** Resolves when there may be more to read. All waiting readers share one promise. @internal */
  changed(): Promise<void> {
    if (this.#change === null) {
      let wake: () => void = () => {};
      const promise = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#change = { promise, wake };
    }
    return this.#change.promise;
  }

  /** @internal */
  wake(): void {
    this.#change?.wake();
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
