/**
 * Resolves when `done` is called. Rejects with the reason of the signal when that aborts first.
 *
 * @param wait Returns the function that ends the waiting.
 */
export function unlessAborted<Value>(
  signal: AbortSignal | undefined,
  wait: (done: (value: Value) => void) => () => void,
): Promise<Value> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      leave();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort);
    const leave = wait((value) => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
  });
}
