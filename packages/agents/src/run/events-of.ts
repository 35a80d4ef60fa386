import type { ExecutorEvent } from "../events.types.js";
import { EventChannel } from "./event-channel.js";

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
