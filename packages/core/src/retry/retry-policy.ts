/**
 * Retry policies made of parts: *when* to retry, how long to *wait*, when to *stop*. The engine only gets the verdict,
 * in a tick, so a policy may use randomness.
 *
 * @module
 */

import { type Duration, toMs } from "../value/duration.js";
import { recordError } from "../value/error-record.js";
import { checkOptionNames } from "../value/known-options.js";
import { positiveInteger } from "../value/options.js";
import { type RetryInfo, type RetryPolicy, retryHint } from "./judge.js";
import { assertParts, partInvalid, type RetryWait, wait } from "./wait.js";

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
