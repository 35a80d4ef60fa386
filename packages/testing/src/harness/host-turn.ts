/**
 * Turns of the host's event loop. The only file of this package that uses real time.
 *
 * @module
 */

// Read once: fake timers that a test installs later do not stop this package.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;
const { setImmediate: soon, process: host } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly process?: { readonly nextTick?: (callback: () => void) => void };
};
const nextTick = host?.nextTick;

/** Resolves after everything that is ready now has run. */
export function nextTurn(): Promise<void> {
  return waitTurn(0);
}

/** Resolves after about a millisecond, so that files and sockets can answer, or after more of them. */
export function pause(ms: number = 1): Promise<void> {
  return new Promise((resolve) => void startTimer(resolve, ms));
}

/**
 * Calls back when no promise has anything left to do, without a turn: timers, files and sockets do not come in between. Where the host
 * has no such queue, after a turn.
 */
export function onDrained(callback: () => void): void {
  // From a microtask: a tick that is asked for in a tick comes before the microtasks. `queueMicrotask` of Node costs more.
  if (nextTick) void settled.then(() => nextTick(callback));
  else onTurn(0, callback);
}

const settled = Promise.resolve();

/** Rejects with the error that `late` makes when the work takes longer than `limitMs`. The work is not stopped. */
export function within<Value>(limitMs: number, work: Promise<Value>, late: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(() => reject(late()), limitMs);
    work.then(resolve, reject).finally(() => stopTimer(timer));
  });
}

/** Turns that code which awaits only promises needs at most between two observable actions. */
const BUSY_TURNS = 20;

/** Waits for one turn: immediate turns at first, then pauses, so that waiting for the disk does not burn the processor. */
export function waitTurn(turn: number): Promise<void> {
  return new Promise((resolve) => onTurn(turn, resolve));
}

/** The same for a callback. */
export function onTurn(turn: number, callback: () => void): void {
  if (turn < BUSY_TURNS && soon) soon(callback);
  else startTimer(callback, turn < BUSY_TURNS ? 0 : 1);
}
