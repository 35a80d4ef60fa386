/** Where readers of a stream get it from: what a run in memory keeps, or a store. */
import type { ValueType } from "../value/plain.js";
import type { StreamCursor } from "./event-stream.js";
import type { StreamedEvent } from "./streamed-event.js";

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
