/**
 * Retry policies made of parts: *when* to retry, how long to *wait*, when to *stop*. The engine only gets the verdict,
 * in a tick, so a policy may use randomness.
 *
 * A failure is judged by its policy for steps and for calls of `ctx.run` alike.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { digest } from "../value/digest.js";
import { type Duration, toMs, wholeMs } from "../value/duration.js";
import { recordError } from "../value/error-record.js";
import { formatValue, isError } from "../value/kind.js";
import { checkOptionNames, positiveInteger, wrongOption } from "../value/options.js";

export interface Judged {
  /** The failure, or what the policy has thrown. */
  readonly error: unknown;
  /** Milliseconds to the next attempt; `null` when the failure is final. */
  readonly delayMs: number | null;
}

export interface Judging extends Omit<RetryInfo, "random"> {
  /** Unique name of what fails, from which its jitter follows. */
  readonly subject: string;
}

/** A policy that throws makes the failure final, with its own error. */
export function judge(policy: RetryPolicy | null, { subject, ...facts }: Judging): Judged {
  const { error, failures } = facts;
  try {
    return { error, delayMs: verdict(policy, { ...facts, random: chance(`${subject} ${failures - 1}`) }) };
  } catch (fault) {
    // A policy may throw what is frozen.
    if (isError(fault) && fault !== error && fault.cause === undefined) Reflect.set(fault, "cause", error);
    return { error: fault, delayMs: null };
  }
}

/** A number in [0, 1), the same for the same text, so that jitter can be reproduced. */
function chance(text: string): number {
  return Number.parseInt(digest(text).slice(0, 8), 16) / 2 ** 32;
}

/**
 * Delay before the next attempt in whole milliseconds, or `null` when the failure is final.
 *
 * Without a policy there is no retry, for any error. The `retryAfterMs` of an error replaces the delay of any policy.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the policy returns an invalid delay; any error of the policy.
 */
export function verdict(policy: RetryPolicy | null, info: RetryInfo): number | null {
  if (policy === null) return null;
  const { retryable, afterMs } = retryHint(info.error);
  if (retryable === false) return null;
  const nextMs = policy.next(info) ?? null;
  if (nextMs === null) return null;
  if (!isDelay(nextMs)) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `A retry policy returned ${formatValue(nextMs)} after failure ${info.failures}, which is not a delay.`,
      hint: "Return milliseconds from `next`, 0 or more, or null to stop.",
      details: { failures: info.failures },
      cause: info.error,
    });
  }
  return wholeMs(afterMs ?? nextMs);
}

/** The fields of an error that control retries. */
export interface RetryHint {
  /** `null` when the error does not say. An error with a delay is retryable. */
  readonly retryable: boolean | null;
  readonly afterMs: number | null;
}

/** @internal */
export function retryHint(error: unknown): RetryHint {
  const { retryable, retryAfterMs } = (error ?? {}) as { retryable?: unknown; retryAfterMs?: unknown };
  const afterMs = isDelay(retryAfterMs) ? retryAfterMs : null;
  if (typeof retryable === "boolean") return { retryable, afterMs };
  return { retryable: afterMs === null ? null : true, afterMs };
}

function isDelay(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

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

/** Decides whether an error is worth another attempt. */
export interface RetryCondition {
  matches(error: unknown): boolean;
  or(other: RetryCondition): RetryCondition;
  and(other: RetryCondition): RetryCondition;
  not(): RetryCondition;
}

/** A class of errors; may be abstract. */
// biome-ignore lint/suspicious/noExplicitAny: constructors of errors differ
export type ErrorClass = abstract new (...args: any) => unknown;

export interface RetryIf {
  /** Matches instances of any of these classes. */
  type(...classes: readonly [ErrorClass, ...ErrorClass[]]): RetryCondition;
  /** Matches errors whose message contains this text, which must not be empty, or matches this expression. */
  message(pattern: string | RegExp): RetryCondition;
  /** Matches when any `cause` in the chain is an instance of one of these classes. The error itself is not compared. */
  cause(...classes: readonly [ErrorClass, ...ErrorClass[]]): RetryCondition;
  test(predicate: (error: unknown) => boolean): RetryCondition;
}

/** Conditions of a retry policy, which compose: `retryIf.type(TypeError).and(retryIf.message("fetch").not())`. */
export const retryIf: RetryIf = {
  type: (...classes) => {
    assertClasses(classes, "type");
    return condition((error) => isAny(error, classes));
  },
  message: (pattern) => {
    if (!(pattern instanceof RegExp) && (typeof pattern !== "string" || pattern === ""))
      throw partInvalid("retryIf.message", pattern, "a text that is not empty, or a RegExp");
    return condition((error) => {
      const { message } = recordError(error); // handles every thrown value
      // `search`, because `test` on a global expression keeps its position.
      return typeof pattern === "string" ? message.includes(pattern) : message.search(pattern) >= 0;
    });
  },
  cause: (...classes) => {
    assertClasses(classes, "cause");
    return condition((error) => {
      const seen = new Set<unknown>(); // a chain of causes may be a circle
      for (let cause = causeOf(error); cause != null && !seen.has(cause); cause = causeOf(cause)) {
        if (isAny(cause, classes)) return true;
        seen.add(cause);
      }
      return false;
    });
  },
  test: (predicate) => {
    if (typeof predicate !== "function") throw partInvalid("retryIf.test", predicate, "a function");
    return condition(predicate);
  },
};

/** Refuses values that `instanceof` cannot take: arrow functions, and imports left undefined by a circle. */
function assertClasses(classes: readonly ErrorClass[], name: "type" | "cause"): void {
  for (const errorClass of classes.length === 0 ? [undefined] : classes) {
    try {
      void ({} instanceof (errorClass as ErrorClass));
    } catch {
      throw partInvalid(`retryIf.${name}`, errorClass, "classes of errors, at least one");
    }
  }
}

function condition(matches: (error: unknown) => boolean): RetryCondition {
  return {
    matches,
    or: (other) => {
      assertParts("or", "matches", [other]);
      return condition((error) => matches(error) || other.matches(error));
    },
    and: (other) => {
      assertParts("and", "matches", [other]);
      return condition((error) => matches(error) && other.matches(error));
    },
    not: () => condition((error) => !matches(error)),
  };
}

function isAny(error: unknown, classes: readonly ErrorClass[]): boolean {
  return classes.some((errorClass) => error instanceof errorClass);
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown } | null | undefined)?.cause;
}

/** Decides when retries end. */
export interface RetryStop {
  /** @param delayMs Length of the next wait. */
  reached(info: RetryInfo, delayMs: number): boolean;
  or(other: RetryStop): RetryStop;
  and(other: RetryStop): RetryStop;
}

export interface Stops {
  /** Stops after this many attempts, the first included. */
  afterAttempts(attempts: number): RetryStop;
  /** Stops at a failure this long after the start of the first attempt. */
  afterDelay(elapsed: Duration): RetryStop;
  /** Stops when the next wait would end later than this after the start of the first attempt. */
  beforeDelay(elapsed: Duration): RetryStop;
  /** Never stops. */
  readonly never: RetryStop;
}

/** Stops of a retry policy, which compose: `stop.afterAttempts(5).or(stop.afterDelay("1m"))`. */
export const stop: Stops = {
  afterAttempts(attempts) {
    positiveInteger(attempts, "afterAttempts");
    return stopIf((info) => info.failures >= attempts);
  },
  afterDelay(elapsed) {
    const limitMs = toMs(elapsed, "afterDelay");
    return stopIf((info) => info.elapsedMs >= limitMs);
  },
  beforeDelay(elapsed) {
    const limitMs = toMs(elapsed, "beforeDelay");
    return stopIf((info, delayMs) => info.elapsedMs + delayMs >= limitMs);
  },
  never: /* @__PURE__ */ stopIf(() => false),
};

function stopIf(reached: RetryStop["reached"]): RetryStop {
  return {
    reached,
    or: (other) => {
      assertParts("or", "reached", [other]);
      return stopIf((info, delayMs) => reached(info, delayMs) || other.reached(info, delayMs));
    },
    and: (other) => {
      assertParts("and", "reached", [other]);
      return stopIf((info, delayMs) => reached(info, delayMs) && other.reached(info, delayMs));
    },
  };
}

/** Throw it in a step when another attempt cannot help: no retry policy retries it. */
export class NonRetryableError extends Error {
  override name = "NonRetryableError";
  readonly retryable = false as const;
}

/**
 * Throw it in a step to set the delay before the next attempt, as after an HTTP 429. The retry policy still limits the
 * number of attempts.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an invalid delay.
 */
export class RetryAfterError extends Error {
  override name = "RetryAfterError";
  readonly retryAfterMs: number;

  constructor(message: string, delay: Duration, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = toMs(delay, "delay");
  }
}
