import { recordError } from "../errors/error-record.js";

/** Whether an error is worth another attempt. */
export interface RetryCondition {
  matches(error: unknown): boolean;
  or(other: RetryCondition): RetryCondition;
  and(other: RetryCondition): RetryCondition;
  not(): RetryCondition;
}

/** A class of errors, abstract ones included. */
// biome-ignore lint/suspicious/noExplicitAny: constructors of errors differ
export type ErrorClass = abstract new (...args: any) => unknown;

export interface RetryIf {
  /** `instanceof` any of these. */
  type(...classes: readonly [ErrorClass, ...ErrorClass[]]): RetryCondition;
  /** The message contains this text, or a match of this expression. */
  message(pattern: string | RegExp): RetryCondition;
  /** Any `cause` in the chain is an instance; the error itself is not asked. */
  cause(...classes: readonly [ErrorClass, ...ErrorClass[]]): RetryCondition;
  test(predicate: (error: unknown) => boolean): RetryCondition;
}

/** Conditions of a retry policy. They compose: `retryIf.type(TypeError).and(retryIf.message("fetch").not())`. */
export const retryIf: RetryIf = {
  type: (...classes) => condition((error) => isAny(error, classes)),
  message: (pattern) =>
    condition((error) => {
      const { message } = recordError(error); // reads whatever can be thrown
      // `search`, because `test` on a global expression remembers where it was.
      return typeof pattern === "string" ? message.includes(pattern) : message.search(pattern) >= 0;
    }),
  cause: (...classes) =>
    condition((error) => {
      const seen = new Set<unknown>(); // a chain may run in a circle
      for (let cause = causeOf(error); cause != null && !seen.has(cause); cause = causeOf(cause)) {
        if (isAny(cause, classes)) return true;
        seen.add(cause);
      }
      return false;
    }),
  test: condition,
};

function condition(matches: (error: unknown) => boolean): RetryCondition {
  return {
    matches,
    or: (other) => condition((error) => matches(error) || other.matches(error)),
    and: (other) => condition((error) => matches(error) && other.matches(error)),
    not: () => condition((error) => !matches(error)),
  };
}

function isAny(error: unknown, classes: readonly ErrorClass[]): boolean {
  return classes.some((errorClass) => error instanceof errorClass);
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown } | null | undefined)?.cause;
}
