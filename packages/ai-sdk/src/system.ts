/** Timers: for the rest of the package, they are here. */

/** Resolves after this time, or when the signal aborts. */
export function passed(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, 0x7fff_ffff));
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}
