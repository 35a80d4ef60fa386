import { ClientError } from "../client-error.js";
import { random } from "../system.js";

export interface RetryOptions {
  /** Attempts in all, the first one included. A stream counts anew after every success. From 1. @default 8 */
  readonly maxAttempts?: number;
  /** Before the second attempt. It doubles from there, and is then made shorter by up to a half. @default 250 */
  readonly delayMs?: number;
  /** @default 10000 */
  readonly maxDelayMs?: number;
  /** A `Retry-After` above it ends the attempts. @default 60000 */
  readonly maxRetryAfterMs?: number;
}

export type ResolvedRetry = Required<RetryOptions>;

export function resolveRetry(options: RetryOptions | false = {}): ResolvedRetry {
  const given = options === false ? { maxAttempts: 1 } : options;
  return {
    maxAttempts: given.maxAttempts ?? 8,
    delayMs: given.delayMs ?? 250,
    maxDelayMs: given.maxDelayMs ?? 10_000,
    maxRetryAfterMs: given.maxRetryAfterMs ?? 60_000,
  };
}

/**
 * How long to wait after so many failures in a row, the last of them `error`. Null: give up.
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
