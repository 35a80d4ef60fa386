import { ClientError } from "../client-error.js";
import { random } from "../system.js";

export interface RetryOptions {
  /** Maximum number of attempts, including the first. A stream counts anew after every success. At least 1. @default 8 */
  readonly maxAttempts?: number;
  /**
   * Milliseconds before the second attempt. The delay doubles for each further attempt, and is then shortened at random
   * by up to a half.
   * @default 250
   */
  readonly delayMs?: number;
  /** Upper bound of the delay, in milliseconds. @default 10000 */
  readonly maxDelayMs?: number;
  /** A `Retry-After` above this many milliseconds ends the attempts. @default 60000 */
  readonly maxRetryAfterMs?: number;
}

export type ResolvedRetry = Required<RetryOptions>;

export function resolveRetry(options: RetryOptions | false = {}): ResolvedRetry {
  const given: RetryOptions = options === false ? { maxAttempts: 1 } : (options ?? {});
  return {
    maxAttempts: given.maxAttempts ?? 8,
    delayMs: given.delayMs ?? 250,
    maxDelayMs: given.maxDelayMs ?? 10_000,
    maxRetryAfterMs: given.maxRetryAfterMs ?? 60_000,
  };
}

/**
 * Delay after `failures` failures in a row, the last of which is `error`; `null` to stop.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function delayAfter(error: unknown, failures: number, retry: ResolvedRetry): number | null {
  if (!(error instanceof ClientError) || !error.retryable || failures >= retry.maxAttempts) return null;
  const full = Math.min(retry.maxDelayMs, retry.delayMs * 2 ** (failures - 1));
  const jittered = full * (1 - random() / 2);
  if (error.retryAfterMs === undefined) return jittered;
  return error.retryAfterMs > retry.maxRetryAfterMs ? null : Math.max(error.retryAfterMs, jittered);
}
