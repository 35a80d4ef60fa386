/**
 * Promises: deferred ones, waits with a signal or a time limit, and microtasks.
 *
 * @module
 */

import type { Clock } from "../engine/ports.js";

/** A promise with its resolvers. A rejection that is not awaited does not end the process. */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve!: (value: Value) => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Marked only now, because the mark of a long-lived promise takes memory, and most are never rejected. */
  reject(error: unknown): void {
    markHandled(this.promise);
    this.#reject(error);
  }
}

export function markHandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore);
  return promise;
}

/** Whoever awaits the promise still gets the rejection. */
function ignore(): void {}

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

/** Resolves when `work` has, or after so many milliseconds. Rejects when `work` does before. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const callOff = clock.setTimer(clock.now() + ms, resolve);
    work.then(() => resolve(), reject).finally(callOff);
  });
}

/** Number of microtasks in which a call returns through several functions that await one another. */
const MICROTASKS = 8;

let waiting: (() => void)[] | null = null;

/**
 * Calls back some microtasks later: by then, code that continues after a call has made its next call, or has returned. Callers at
 * the same time share the microtasks.
 */
export function afterMicrotasks(callback: () => void): void {
  if (waiting === null) {
    const callbacks = (waiting = []);
    countDown(callbacks, MICROTASKS);
  }
  waiting.push(callback);
}

function countDown(callbacks: (() => void)[], left: number): void {
  if (left === MICROTASKS - 1) waiting = null; // a later caller starts its own count
  if (left > 0) return void settled.then(() => countDown(callbacks, left - 1));
  for (const callback of callbacks) callback();
}
const settled = /* @__PURE__ */ Promise.resolve();
