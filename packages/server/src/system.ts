/**
 * The only file that uses time, randomness and the console.
 *
 * @module
 */
import type { Log } from "millrace";

let lastTime = { atMs: 0, text: "1970-01-01T00:00:00.000Z" };

/** Remembers the last one: the times of one answer are often the same. */
export function isoTime(atMs: number): string {
  if (atMs !== lastTime.atMs) lastTime = { atMs, text: new Date(atMs).toISOString() };
  return lastTime.text;
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
