/**
 * The only file that uses time, randomness and the console.
 *
 * @module
 */
import type { Log } from "millrace";

export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function newId(): string {
  return crypto.randomUUID();
}

export function nowMs(): number {
  return Date.now();
}

/** Calls `wake` once. Returns the function that cancels the call. */
export function afterMs(delayMs: number, wake: () => void): () => void {
  const timer = setTimeout(wake, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

export const consoleLog: Log = {
  info: (message) => console.info(message),
  error: (message, error) => console.error(message, ...(error === undefined ? [] : [error])),
};

export function pauseMs(delayMs: number): Promise<void> {
  return new Promise((resolve) => void afterMs(delayMs, resolve));
}
