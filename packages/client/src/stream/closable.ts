import { joinSignals } from "../http/transport.js";

/**
 * Wraps a generator, which handles `return()` only after its pending `next()`: here `return()` closes the connection, so that `next()`
 * ends.
 */
export function closable<Item>(
  signals: readonly (AbortSignal | undefined)[],
  read: (signal: AbortSignal) => AsyncGenerator<Item, void>,
): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => iterate(signals, read) };
}

function iterate<Item>(...[signals, read]: Parameters<typeof closable<Item>>): AsyncIterator<Item> {
  const closing = new AbortController();
  const items = read(signals.reduce<AbortSignal>(joinSignals, closing.signal));
  return {
    next: () =>
      items.next().catch((error: unknown) => {
        if (closing.signal.aborted) return { done: true, value: undefined };
        throw error;
      }),
    return: async () => {
      closing.abort();
      await items.return();
      return { done: true, value: undefined };
    },
  };
}
