/**
 * The only file that reads the time or randomness.
 *
 * @module
 */

export const nowMs = (): number => Date.now();

/** Milliseconds for durations: does not jump when the system clock is set. */
export const tickMs = (): number => performance.now();

export const newId = (): string => crypto.randomUUID();
