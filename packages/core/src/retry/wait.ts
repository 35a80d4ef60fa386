/**
 * The waits of retry policies, and the check of the parts of a policy.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { type Duration, toMs } from "../value/duration.js";
import { checkOptionNames } from "../value/known-options.js";
import { wrongOption } from "../value/options.js";

/** Delay before the next attempt. */
export interface RetryWait {
  /** @param retry 0 before the second attempt. @param random Number from 0 up to 1. */
  delayMs(retry: number, random: number): number;
  /** Adds the delay of the other wait. */
  plus(other: RetryWait): RetryWait;
}

export interface ExponentialOptions {
  /** The first delay. @default "1s" */
  readonly initial?: Duration;
  /** Factor from each delay to the next. Above 0. @default 2 */
  readonly base?: number;
  /** Lower bound. @default 0 */
  readonly min?: Duration;
  /** Upper bound. @default "1m" */
  readonly max?: Duration;
}

export interface JitterOptions extends ExponentialOptions {
  /** Upper bound of the random addition. @default "1s" */
  readonly jitter?: Duration;
}

export interface IncrementingOptions {
  readonly start: Duration;
  readonly increment: Duration;
  /** Upper bound. @default none */
  readonly max?: Duration;
}

export interface Waits {
  fixed(delay: Duration): RetryWait;
  /** `initial * base ** retry`, limited to the range from `min` to `max`. */
  exponential(options?: ExponentialOptions): RetryWait;
  /** The exponential delay plus up to `jitter` at random; the sum is limited to the range from `min` to `max`. */
  exponentialJitter(options?: JitterOptions): RetryWait;
  /**
   * A random delay from `min` to the exponential delay. @see
   * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
   */
  fullJitter(options?: ExponentialOptions): RetryWait;
  /** A random delay from `min` to `max`. */
  random(min: Duration, max: Duration): RetryWait;
  /** `start + increment * retry`, at most `max`. */
  incrementing(options: IncrementingOptions): RetryWait;
  /** The n-th wait for the n-th retry; further retries use the last one. */
  chain(...waits: readonly [RetryWait, ...RetryWait[]]): RetryWait;
}

/** Waits of a retry policy, which add up: `wait.fixed("1s").plus(wait.random(0, "500ms"))`. */
export const wait: Waits = {
  fixed(delay) {
    const ms = toMs(delay, "delay");
    return waitOf(() => ms);
  },
  exponential(options = {}) {
    checkOptionNames("exponential", options);
    return wait.exponentialJitter({ ...options, jitter: 0 });
  },
  exponentialJitter(options = {}) {
    checkOptionNames("exponentialJitter", options);
    const { delayMs, minMs, maxMs } = growth(options);
    const jitterMs = toMs(options.jitter ?? 1000, "jitter");
    return waitOf((retry, random) => clamp(delayMs(retry) + jitterMs * random, minMs, maxMs));
  },
  fullJitter(options = {}) {
    checkOptionNames("fullJitter", options);
    const { delayMs, minMs } = growth(options);
    return waitOf((retry, random) => between(minMs, delayMs(retry), random));
  },
  random(min, max) {
    const [minMs, maxMs] = toRange(min, max);
    return waitOf((_, random) => between(minMs, maxMs, random));
  },
  incrementing(options) {
    checkOptionNames("incrementing", options);
    const { start, increment, max = Number.MAX_VALUE } = options;
    const startMs = toMs(start, "start");
    const incrementMs = toMs(increment, "increment");
    const maxMs = toMs(max, "max");
    return waitOf((retry) => Math.min(startMs + incrementMs * retry, maxMs));
  },
  chain(...waits) {
    assertParts("wait.chain", "delayMs", waits.length === 0 ? [undefined] : waits);
    return waitOf((retry, random) => (waits[Math.min(retry, waits.length - 1)] ?? waits[0]).delayMs(retry, random));
  },
};

function waitOf(delayMs: (retry: number, random: number) => number): RetryWait {
  return {
    delayMs,
    plus: (other) => {
      assertParts("plus", "delayMs", [other]);
      return waitOf((retry, random) => delayMs(retry, random) + other.delayMs(retry, random));
    },
  };
}

interface Growth {
  readonly minMs: number;
  readonly maxMs: number;
  readonly delayMs: (retry: number) => number;
}

function growth(options: ExponentialOptions): Growth {
  const { initial = 1000, base = 2, min = 0, max = 60_000 } = options;
  const initialMs = toMs(initial, "initial");
  const [minMs, maxMs] = toRange(min, max);
  if (!(base > 0 && base < Infinity)) throw invalid(`\`base\` is ${base}; it must be above 0.`);
  return {
    minMs,
    maxMs,
    // `&&`, because 0 times an overflow is NaN
    delayMs: (retry) => clamp(initialMs && initialMs * base ** retry, minMs, maxMs),
  };
}

function toRange(min: Duration, max: Duration): [minMs: number, maxMs: number] {
  const minMs = toMs(min, "min");
  const maxMs = toMs(max, "max");
  if (minMs > maxMs) throw invalid(`\`min\` is ${minMs} ms, above \`max\` of ${maxMs} ms.`);
  return [minMs, maxMs];
}

function invalid(message: string): WorkflowError {
  return new WorkflowError({ code: "OPTION_INVALID", message, hint: "Correct the `wait` of the retry policy." });
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}

function between(min: number, max: number, random: number): number {
  return Math.min(min + (max - min) * random, max); // rounding may exceed max
}

// ---- checks of the parts of a policy
// They are checked when they are combined, and not when a step has failed, whose own error must be seen.

const made = {
  matches: "a condition such as `retryIf.type(TypeError)`",
  delayMs: 'a wait such as `wait.fixed("1s")`',
  reached: "a stop such as `stop.afterAttempts(3)`",
};

/** @throws {WorkflowError} `OPTION_INVALID` for a part without this method. */
export function assertParts(name: string, method: keyof typeof made, parts: readonly unknown[]): void {
  for (const part of parts)
    if (typeof (part as Record<string, unknown> | null | undefined)?.[method] !== "function")
      throw partInvalid(name, part, made[method]);
}

export function partInvalid(name: string, given: unknown, wanted: string): WorkflowError {
  const what =
    given === undefined || given === null || given === "" ? (JSON.stringify(given) ?? "nothing") : typeof given;
  return wrongOption(name, `of a retry policy got ${what}`, `Pass ${wanted}.`);
}
