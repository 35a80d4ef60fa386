/** What a policy is told about a failed attempt. */
export interface RetryInfo {
  /** Failures so far, this one included: 1 after the first. */
  readonly failures: number;
  /** From the start of the first attempt to this failure. */
  readonly elapsedMs: number;
  readonly error: unknown;
  /** In [0, 1), the same for the same run, step and failure. */
  readonly random: number;
}

/** Anything with `next` is a policy: the delay before the next attempt in milliseconds, or null to give up. */
export interface RetryPolicy {
  next(info: RetryInfo): number | null;
}
