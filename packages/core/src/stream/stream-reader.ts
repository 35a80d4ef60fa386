import type { StreamCursor, StreamOptions, StreamSource } from "./stream.types.js";
import type { StreamedEvent } from "./streamed-event.js";

/** What to do with an item: skip it, yield it, or yield it as the last one. */
export type StageVerdict = "drop" | "keep" | "last";
/** Called once for every reader, because a stage may count. */
export type Stage = () => (item: StreamedEvent) => StageVerdict;

type Result = IteratorResult<StreamedEvent, undefined>;

/**
 * Reads a stream through stages.
 *
 * Not an async generator, whose `return` waits for a pending `next`: a disconnect would not end the reading.
 */
export function createStreamReader(
  source: StreamSource,
  { after, signal }: StreamOptions,
  stages: readonly Stage[],
): AsyncIterator<StreamedEvent, undefined> {
  const cursor: StreamCursor = { after };
  const fates = stages.map((stage) => stage());
  let closed = false;
  let turn: Promise<unknown> = Promise.resolve();

  const shows = (item: StreamedEvent): boolean => {
    for (const fateOf of fates) {
      const fate = fateOf(item);
      if (fate === "drop") return false;
      if (fate === "last") closed = true;
    }
    return true;
  };
  const read = async (): Promise<Result> => {
    while (!closed) {
      signal?.throwIfAborted();
      const item = source.next(cursor);
      if (item === null) break;
      if (item === undefined) await changed(source, cursor, signal);
      else if (shows(item)) return { done: false, value: item };
    }
    return close();
  };
  const close = async (): Promise<Result> => {
    closed = true;
    return { done: true, value: undefined };
  };

  return {
    /** Calls run one after the other, so that a later one does not get the earlier event. */
    next() {
      const result = turn.then(read, read);
      turn = result;
      return result;
    },
    return() {
      const result = close();
      source.wake(); // ends a pending `next` of this reader; other readers look again and wait
      return result;
    },
  };
}

async function changed(source: StreamSource, cursor: StreamCursor, signal: AbortSignal | undefined): Promise<void> {
  const wake = (): void => source.wake();
  signal?.addEventListener("abort", wake);
  await source.changed(cursor);
  signal?.removeEventListener("abort", wake);
}
