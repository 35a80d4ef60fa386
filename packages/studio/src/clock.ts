/** The time of the page: that of this computer, or the moment at which the shown file was saved. */
let stoppedAtMs: number | null = null;

/** In epoch milliseconds. */
export function now(): number {
  return stoppedAtMs ?? Date.now();
}

/** A file shows the run as it was: nothing in it gets older. */
export function stopClock(atMs: number): void {
  stoppedAtMs = Number.isNaN(atMs) ? null : atMs;
}
