/**
 * How calls of models and tools are made: with the policies of `ctx.run`, which count over restarts.
 *
 * @module
 */
import { type EffectOptions, type RetryPolicy, retryIf, retryPolicy, stop, wait } from "millrace";
import type { CallPolicies } from "../settings/call-policies.types.js";
import { isPassing } from "./failure.js";

const longestLabel = 200;

/** The options of `ctx.run`, without what was not given. */
export function callOptions({ retry, timeout, limit }: CallPolicies, label: string): EffectOptions {
  return {
    ...(retry !== undefined && { retry }),
    ...(timeout !== undefined && { timeout }),
    ...(limit !== undefined && { limit }),
    label: label.slice(0, longestLabel),
  };
}

/**
 * Asks a model again that is busy, down or out of reach, after the delay that its provider asks for, or a growing one.
 */
export function modelRetry(maxRetries: number): RetryPolicy | undefined {
  if (maxRetries === 0) return undefined;
  return retryPolicy({
    when: retryIf.test(isPassing),
    wait: wait.exponentialJitter({ initial: "1s", max: "1m" }),
    stop: stop.afterAttempts(maxRetries + 1),
  });
}

/** A policy that stops if another attempt would do harm. */
export function unless(isFinal: () => boolean, retry: RetryPolicy): RetryPolicy {
  return { next: (info) => (isFinal() ? null : retry.next(info)) };
}
