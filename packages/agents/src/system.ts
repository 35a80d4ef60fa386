/**
 * The only file that reads the time or randomness, or sets timers.
 *
 * @module
 */

export const nowMs = (): number => Date.now();

/** Milliseconds for durations: does not jump when the system clock is set. */
export const tickMs = (): number => performance.now();

export const newId = (): string => crypto.randomUUID();

/** Calls `act` once after this time. Returns the function that prevents it. */
export function later(delayMs: number, act: () => void): () => void {
  const timer = setTimeout(act, delayMs);
  return () => clearTimeout(timer);
}
