/**
 * Retry policies made of parts: *when* to retry, how long to *wait*, when to *stop*. The engine only gets the verdict,
 * in a tick, so a policy may use randomness.
 *
 * @module
 */
import { checkOptionNames } from "../value/known-options.js";
import { retryHint } from "./judge.js";
import { assertParts } from "./parts.js";
import type { RetryInfo, RetryPolicy } from "./retry.types.js";
import type { RetryCondition } from "./retry-if.js";
import { type RetryStop, stop } from "./stop.js";
import { type RetryWait, wait } from "./wait.js";

export interface RetryOptions {
  /** Errors to retry. @default every error */
  readonly when?: RetryCondition;
  /** Delay before each retry. @default wait.fixed("5s") */
  readonly wait?: RetryWait;
  /** When to stop. @default stop.afterAttempts(3) */
  readonly stop?: RetryStop;
}

/**
 * Makes a policy for `@step({ retry })`. A step without a policy is not retried.
 *
 * Properties of the error come first: `retryable: false` (as in {@link NonRetryableError}) ends the retries,
 * `retryable: true` skips `when`, and `retryAfterMs` (as in {@link RetryAfterError}) skips `when` and replaces `wait`.
 * `stop` always applies.
 *
 * @example
 * retryPolicy({
 *   when: retryIf.type(TypeError).or(retryIf.message("overloaded")),
 *   wait: wait.exponentialJitter({ initial: "200ms", max: "10s" }),
 *   stop: stop.afterAttempts(5).or(stop.beforeDelay("1m")),
 * });
 */
export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  checkOptionNames("retryPolicy", options);
  const { when, wait: waits = wait.fixed("5s"), stop: stops = stop.afterAttempts(3) } = options;
  assertParts("when", "matches", when === undefined ? [] : [when]);
  assertParts("wait", "delayMs", [waits]);
  assertParts("stop", "reached", [stops]);
  return {
    next(info: RetryInfo): number | null {
      const { retryable, afterMs } = retryHint(info.error);
      if (retryable === false) return null;
      if (retryable === null && when !== undefined && !when.matches(info.error)) return null;
      const delayMs = afterMs ?? waits.delayMs(info.failures - 1, info.random);
      return stops.reached(info, delayMs) ? null : delayMs;
    },
  };
}
