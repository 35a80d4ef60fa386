/**
 * Turns of the host: the only file here that uses real time.
 *
 * @module
 */

// Taken once: a test that puts its own timers in place later does not stop this package.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;
const soon = (globalThis as { readonly setImmediate?: (callback: () => void) => unknown }).setImmediate;

/** Resolves after everything that is ready now has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void (soon ? soon(resolve) : startTimer(resolve, 0)));
}

/** Resolves after about a millisecond: files and sockets have had a chance to answer. */
export function pause(): Promise<void> {
  return new Promise((resolve) => void startTimer(resolve, 1));
}

/** Rejects with what `late` makes when the work takes longer, whatever becomes of it. */
export function within<Value>(limitMs: number, work: Promise<Value>, late: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(() => reject(late()), limitMs);
    work.then(resolve, reject).finally(() => stopTimer(timer));
  });
}

/** Turns that code which only awaits promises needs at most between two things that can be seen of it. */
const BUSY_TURNS = 20;

/** The n-th turn of a wait: at once at first, then with pauses, so that a wait for the disk does not burn the processor. */
export function waitTurn(turn: number): Promise<void> {
  return turn < BUSY_TURNS ? nextTurn() : pause();
}
