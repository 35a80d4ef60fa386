import { recordError } from "../value/error-record.js";
import { assertParts, partInvalid } from "./parts.js";

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
