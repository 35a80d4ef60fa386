/** Sources, options and positions of readers of a stream. */
import type { ValueType } from "../value/storable.js";
import type { StreamedEvent } from "./streamed-event.js";

export interface StreamOptions {
  /** Starts after this sequence number. @default the first event that is kept */
  readonly after?: number;
  /** Aborts the reading, which throws the reason. */
  readonly signal?: AbortSignal;
}

/** Position of a reader. */
export interface StreamCursor {
  /** Sequence number of the last event read; `undefined` before the first read. */
  after: number | undefined;
}

/** A source of events: the memory of a run, or a store. */
export interface StreamSource {
  /** Value types of the user, for encoding. */
  readonly types: readonly ValueType[];
  /**
   * The next event for this reader; `null` at the end; `undefined` when it has to wait for {@link changed}.
   *
   * @throws {WorkflowError} `STREAM_TRUNCATED` when events that it has not read are gone.
   */
  next(cursor: StreamCursor): StreamedEvent | null | undefined;
  /** Resolves when there may be more to read for this reader. */
  changed(cursor: StreamCursor): Promise<void>;
  /** Makes every waiting reader look again. */
  wake(): void;
}
