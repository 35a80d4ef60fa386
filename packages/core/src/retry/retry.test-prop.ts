import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type RetryInfo, type RetryStop, type RetryWait, retryPolicy, stop, verdict, wait } from "./retry-policy.js";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retry = fc.nat(3000);
const ms = fc.nat(10_000_000);
const base = fc.double({ min: 0.01, max: 1000, noNaN: true });
const bounds = fc.tuple(ms, ms).map(([one, two]) => ({ min: Math.min(one, two), max: Math.max(one, two) }));
const growth = fc.tuple(bounds, ms, base).map(([range, initial, factor]) => ({ ...range, initial, base: factor }));
const info: fc.Arbitrary<RetryInfo> = fc.record({
  failures: fc.integer({ min: 1, max: 20 }),
  elapsedMs: ms,
  error: fc.constant(new Error("no")),
  random,
});

const someWait: fc.Arbitrary<RetryWait> = fc.oneof(
  ms.map(wait.fixed),
  growth.map(wait.exponential),
  bounds.map(({ min, max }) => wait.random(min, max)),
);
const someStop: fc.Arbitrary<RetryStop> = fc.oneof(
  fc.integer({ min: 1, max: 20 }).map(stop.afterAttempts),
  ms.map(stop.afterDelay),
  ms.map(stop.beforeDelay),
  fc.constant(stop.never),
);

function expectWithin(value: number, { min, max }: { readonly min: number; readonly max: number }): void {
  expect(value).toBeGreaterThanOrEqual(min);
  expect(value).toBeLessThanOrEqual(max);
}

describe("wait", () => {
  test.prop([growth, ms, retry, random])(
    "keeps every exponential delay within min and max",
    (options, jitter, n, x) => {
      expectWithin(wait.exponential(options).delayMs(n, x), options);
      expectWithin(wait.exponentialJitter({ ...options, jitter }).delayMs(n, x), options);
    },
  );

  test.prop([growth, retry, random])("keeps full jitter between min and the exponential delay", (options, n, x) => {
    const top = wait.exponential(options).delayMs(n, x);

    expectWithin(wait.fullJitter(options).delayMs(n, x), { min: options.min, max: top });
  });

  test.prop([growth, ms, retry, random])("adds at most the jitter", (options, jitter, n, x) => {
    const bare = wait.exponential(options).delayMs(n, x);

    expectWithin(wait.exponentialJitter({ ...options, jitter }).delayMs(n, x), { min: bare, max: bare + jitter });
  });

  test.prop([bounds, retry, random])("keeps a random delay within min and max", (range, n, x) => {
    expectWithin(wait.random(range.min, range.max).delayMs(n, x), range);
  });

  test.prop([ms, ms, ms, retry])("increments, and stops at max", (start, increment, max, n) => {
    expect(wait.incrementing({ start, increment, max }).delayMs(n, 0)).toBe(Math.min(start + increment * n, max));
  });

  test.prop([fc.array(someWait, { minLength: 1, maxLength: 5 }), fc.nat(10), random])(
    "chains: the last one repeats",
    (waits, n, x) => {
      const chained = wait.chain(...(waits as [RetryWait]));

      expect(chained.delayMs(n, x)).toBe(waits[Math.min(n, waits.length - 1)]?.delayMs(n, x));
    },
  );

  test.prop([someWait, someWait, someWait, fc.nat(20), random])("adds up in any order", (a, b, c, n, x) => {
    expect(a.plus(b).delayMs(n, x)).toBe(b.plus(a).delayMs(n, x));
    expect(a.plus(b).plus(c).delayMs(n, x)).toBeCloseTo(a.plus(b.plus(c)).delayMs(n, x));
  });
});

describe("stop", () => {
  test.prop([someStop, someStop, someStop, info, ms])("obeys the laws of and / or", (a, b, c, facts, delayMs) => {
    const ask = (one: RetryStop): boolean => one.reached(facts, delayMs);

    expect(ask(a.or(b))).toBe(ask(a) || ask(b));
    expect(ask(a.and(b))).toBe(ask(a) && ask(b));
    expect(ask(a.and(b.or(c)))).toBe(ask(a.and(b).or(a.and(c))));
    expect(ask(a.or(stop.never))).toBe(ask(a));
    expect(ask(a.and(stop.never))).toBe(false);
  });

  test.prop([fc.integer({ min: 1, max: 30 })])("allows exactly that many attempts", (attempts) => {
    const policy = retryPolicy({ stop: stop.afterAttempts(attempts) });
    const verdicts = Array.from({ length: 40 }, (_, index) =>
      verdict(policy, { failures: index + 1, elapsedMs: 0, error: null, random: 0 }),
    );

    expect(verdicts.indexOf(null) + 1).toBe(attempts);
  });
});

describe("verdict", () => {
  test.prop([someWait, someStop, info])(
    "is null or whole milliseconds, and the same for the same facts",
    (waits, stops, facts) => {
      const policy = retryPolicy({ wait: waits, stop: stops });
      const first = verdict(policy, facts);

      expect(first === null || (Number.isInteger(first) && first >= 0)).toBe(true);
      expect(verdict(policy, facts)).toBe(first);
    },
  );
});
