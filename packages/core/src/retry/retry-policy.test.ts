import { describe, expect, it } from "vitest";
import {
  NonRetryableError,
  RetryAfterError,
  type RetryInfo,
  retryIf,
  retryPolicy,
  stop,
  verdict,
  wait,
} from "./retry-policy.js";

function failure(facts: Partial<RetryInfo> = {}): RetryInfo {
  return { failures: 1, elapsedMs: 0, error: new Error("overloaded"), random: 0.5, ...facts };
}

describe("retryPolicy", () => {
  it("waits 5 s between 3 attempts when nothing is said", () => {
    const policy = retryPolicy();

    expect([1, 2, 3].map((failures) => policy.next(failure({ failures })))).toEqual([5000, 5000, null]);
  });

  it("uses the first wait for the first retry", () => {
    const policy = retryPolicy({ wait: wait.incrementing({ start: 10, increment: 1 }) });

    expect(policy.next(failure({ failures: 1 }))).toBe(10);
  });

  it("stops at an error that `when` does not match", () => {
    const policy = retryPolicy({ when: retryIf.message("timeout") });

    expect(policy.next(failure())).toBeNull();
  });

  it("reports to `stop` how long the next wait would be", () => {
    const policy = retryPolicy({ wait: wait.fixed(400), stop: stop.beforeDelay("1s") });

    expect(policy.next(failure({ elapsedMs: 599 }))).toBe(400);
    expect(policy.next(failure({ elapsedMs: 600 }))).toBeNull();
  });
});

describe("verdict", () => {
  it("is final without a policy, also for an error that asks for a retry", () => {
    expect(verdict(null, failure({ error: new RetryAfterError("busy", "1s") }))).toBeNull();
  });

  it("is final for a NonRetryableError, whatever the policy", () => {
    expect(verdict({ next: () => 1 }, failure({ error: new NonRetryableError("no") }))).toBeNull();
    expect(verdict(retryPolicy(), failure({ error: { retryable: false } }))).toBeNull();
  });

  it("skips `when` for an error that says it is retryable", () => {
    const policy = retryPolicy({ when: retryIf.type(TypeError) });

    expect(verdict(policy, failure({ error: { retryable: true } }))).toBe(5000);
  });

  it("takes the delay from the error", () => {
    const error = new RetryAfterError("busy", "30s");

    expect(verdict(retryPolicy({ when: retryIf.type(TypeError) }), failure({ error }))).toBe(30_000);
    expect(verdict({ next: () => 1 }, failure({ error }))).toBe(30_000);
  });

  it("lets `stop` see the delay that the error asks for", () => {
    const policy = retryPolicy({ stop: stop.beforeDelay("10s") });

    expect(verdict(policy, failure({ error: new RetryAfterError("busy", "30s") }))).toBeNull();
  });

  it("ignores a retryAfterMs that is not a delay", () => {
    expect(verdict(retryPolicy(), failure({ error: { retryAfterMs: Number.NaN } }))).toBe(5000);
    expect(verdict(retryPolicy(), failure({ error: { retryAfterMs: "soon" } }))).toBe(5000);
  });

  it("copes with anything that can be thrown", () => {
    expect([undefined, null, "text", 0].map((error) => verdict(retryPolicy(), failure({ error })))).toEqual([
      5000, 5000, 5000, 5000,
    ]);
  });

  it("rounds up to whole milliseconds", () => {
    expect(verdict({ next: () => 0.2 }, failure())).toBe(1);
  });

  it.each([Number.NaN, -1, Infinity, "5" as never])("refuses %s as a delay", (delay) => {
    expect(() => verdict({ next: () => delay }, failure({ failures: 4 }))).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining("failure 4") }),
    );
  });
});
