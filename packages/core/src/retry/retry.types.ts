/** Facts about a failed attempt, for a retry policy. */
export interface RetryInfo {
  /** Number of failures so far, this one included: 1 after the first attempt. */
  readonly failures: number;
  /** Milliseconds from the start of the first attempt to this failure. */
  readonly elapsedMs: number;
  readonly error: unknown;
  /** Random number from 0 up to 1, equal for the same run, step and failure. */
  readonly random: number;
}

/** A retry policy: `next` returns the delay before the next attempt in milliseconds, or `null` to stop. */
export interface RetryPolicy {
  next(info: RetryInfo): number | null;
}
