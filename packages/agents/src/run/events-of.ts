import type { ExecutorEvent } from "@millrace/pipeline/executor";

type Work = (emit: (event: ExecutorEvent) => void, signal: AbortSignal) => Promise<unknown>;

/**
 * Yields the events that `work` emits. The work starts with the first read, and is cancelled when the reader stops
 * early.
 */
export async function* eventsOf(
  { signal: given }: { readonly signal?: AbortSignal },
  work: Work,
): AsyncGenerator<ExecutorEvent, void, undefined> {
  const channel = new EventChannel<ExecutorEvent>();
  const reader = new AbortController();
  const signal = AbortSignal.any([reader.signal, ...(given === undefined ? [] : [given])]);
  const outcome = work((event) => channel.push(event), signal)
    .then(
      () => null,
      (error: unknown) => ({ error }),
    )
    .finally(() => channel.close());
  let stopped = true;
  try {
    yield* channel.read();
    stopped = false;
  } finally {
    if (stopped) reader.abort(new DOMException("The reader of the stream has stopped.", "AbortError"));
    await outcome;
  }
  const failure = await outcome;
  if (failure !== null) throw failure.error;
}

/** A queue with one reader. Items that a slow reader has not taken wait in memory. */
class EventChannel<Item> {
  readonly #waiting: Item[] = [];
  #closed = false;
  #wake: () => void = () => {};

  push(item: Item): void {
    this.#waiting.push(item);
    this.#wake();
  }

  /** Ends the channel; items pushed before are still read. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Item, void, undefined> {
    while (true) {
      const item = this.#waiting.shift();
      if (item !== undefined) yield item;
      else if (this.#closed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
