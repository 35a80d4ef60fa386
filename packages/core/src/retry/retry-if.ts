import { recordError } from "../errors/error-record.js";
import { assertParts, partInvalid } from "./parts.js";

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
  /** The message contains this text, which is not empty, or a match of this expression. */
  message(pattern: string | RegExp): RetryCondition;
  /** Any `cause` in the chain is an instance; the error itself is not asked. */
  cause(...classes: readonly [ErrorClass, ...ErrorClass[]]): RetryCondition;
  test(predicate: (error: unknown) => boolean): RetryCondition;
}

/** Conditions of a retry policy. They compose: `retryIf.type(TypeError).and(retryIf.message("fetch").not())`. */
export const retryIf: RetryIf = {
  type: (...classes) => {
    assertClasses(classes, "type");
    return condition((error) => isAny(error, classes));
  },
  message: (pattern) => {
    if (!(pattern instanceof RegExp) && (typeof pattern !== "string" || pattern === ""))
      throw partInvalid("retryIf.message", pattern, "a text that is not empty, or a RegExp");
    return condition((error) => {
      const { message } = recordError(error); // reads whatever can be thrown
      // `search`, because `test` on a global expression remembers where it was.
      return typeof pattern === "string" ? message.includes(pattern) : message.search(pattern) >= 0;
    });
  },
  cause: (...classes) => {
    assertClasses(classes, "cause");
    return condition((error) => {
      const seen = new Set<unknown>(); // a chain may run in a circle
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

/** What `instanceof` takes: no arrow function, and nothing that an import in a circle has left undefined. */
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
