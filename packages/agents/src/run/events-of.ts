import type { ExecutorEvent } from "@millrace/executor";

type Work = (emit: (event: ExecutorEvent) => void, signal: AbortSignal) => Promise<unknown>;

/**
 * Yields the events that `work` emits. The work starts with the first read, and is cancelled when the reader stops
 * early.
 */
export async function* eventsOf(
  { signal: given }: { readonly signal?: AbortSignal },
  work: Work,
): AsyncGenerator<ExecutorEvent, void, undefined> {
  const reader = new AbortController();
  const signal = AbortSignal.any([reader.signal, ...(given === undefined ? [] : [given])]);
  const { readable, writable } = new TransformStream<ExecutorEvent>(undefined, undefined, unlimited);
  const writer = writable.getWriter();
  const outcome = work((event) => void writer.write(event), signal).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  void outcome.then(() => writer.close());
  let failure: Awaited<typeof outcome> = null;
  try {
    yield* readable.values({ preventCancel: true });
  } finally {
    reader.abort(new DOMException("The reader of the stream has stopped.", "AbortError"));
    failure = await outcome;
  }
  if (failure !== null) throw failure.error; // a reader that has stopped gets no error
}

/** Events that a slow reader has not taken wait in memory. */
const unlimited = { highWaterMark: Number.POSITIVE_INFINITY };
