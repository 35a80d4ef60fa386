/**
 * Retry policies out of parts: *when* to retry, how long to *wait*, when to *stop*.
 * The verdict is taken outside the engine and travels in the tick, so a policy may use randomness.
 *
 * @module
 */
import { checkOptions } from "../value/known-options.js";
import { assertParts } from "./parts.js";
import type { RetryInfo, RetryPolicy } from "./retry.types.js";
import type { RetryCondition } from "./retry-if.js";
import { type RetryStop, stop } from "./stop.js";
import { retryHint } from "./verdict.js";
import { type RetryWait, wait } from "./wait.js";

export interface RetryOptions {
  /** @default every error */
  readonly when?: RetryCondition;
  /** @default wait.fixed("5s") */
  readonly wait?: RetryWait;
  /** @default stop.afterAttempts(3) */
  readonly stop?: RetryStop;
}

/**
 * A policy for `@step({ retry })`. A step without one is not retried.
 *
 * What an error says of itself comes first: `retryable: false` (as {@link NonRetryableError} has) ends the
 * retries, `retryable: true` skips `when`, and `retryAfterMs` (as {@link RetryAfterError} has) skips `when`
 * and takes the place of `wait`. `stop` is always asked.
 *
 * @example
 * retryPolicy({
 *   when: retryIf.type(TypeError).or(retryIf.message("overloaded")),
 *   wait: wait.exponentialJitter({ initial: "200ms", max: "10s" }),
 *   stop: stop.afterAttempts(5).or(stop.beforeDelay("1m")),
 * });
 */
export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  checkOptions("retryPolicy", options);
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
