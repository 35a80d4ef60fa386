/** Callers of `publish` reach every subscriber, in the order of their subscriptions. */
export interface Subscribable<Args extends unknown[], Result> {
  /** @returns Ends the subscription. */
  subscribe: (callback: (...args: Args) => Result) => () => void;
  /** What the subscribers have returned. */
  publish: (...args: Args) => unknown[];
}

export function createSubscribable<Args extends unknown[], Result>(): Subscribable<Args, Result> {
  const callbacks = new Set<(...args: Args) => Result>();
  return {
    subscribe(callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    publish: (...args) => [...callbacks].map((callback) => callback(...args)),
  };
}
