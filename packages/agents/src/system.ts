/**
 * The only place that asks for the time or for randomness.
 *
 * @module
 */

export const nowMs = (): number => Date.now();

/** For durations: does not jump when the clock is set. */
export const tickMs = (): number => performance.now();

export const newId = (): string => crypto.randomUUID();
