/** Where readers of a stream get it from, what they ask for, and where they are. */
import type { ValueType } from "../value/plain.js";
import type { StreamedEvent } from "./streamed-event.js";

export interface StreamOptions {
  /** Only what came after this sequence number. @default from the first event that is kept */
  readonly after?: number;
  /** Ends the reading: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Where a reader is. */
export interface StreamCursor {
  /** The last sequence number it has seen; undefined before its first read. */
  after: number | undefined;
}

/** What a run in memory keeps, or a store. */
export interface StreamSource {
  /** How the user's own values become JSON. */
  readonly types: readonly ValueType[];
  /**
   * The next event for this reader; null at the end; undefined when it has to wait for {@link changed}.
   *
   * @throws {WorkflowError} `STREAM_TRUNCATED` when events that it has not seen are gone.
   */
  next(cursor: StreamCursor): StreamedEvent | null | undefined;
  /** Resolves when there may be more to read for this reader. */
  changed(cursor: StreamCursor): Promise<void>;
  /** Makes every waiting reader look again. */
  wake(): void;
}
