import { expect, it } from "vitest";
import { durationRange, quantileMs, rangeMs } from "./counted.js";

it("the middle of the range of a duration is at most 4.5 percent and half a millisecond off", () => {
  for (let durationMs = 1; durationMs < 1e11; durationMs = Math.ceil(durationMs * 1.01)) {
    const off = Math.abs(rangeMs(durationRange(durationMs)) - durationMs);
    expect(off, `${durationMs} ms`).toBeLessThanOrEqual(0.5 + durationMs * 0.045);
  }
});

it("less than a millisecond is none, also for a clock that was set back", () => {
  for (const durationMs of [0, 0.5, -5]) expect(rangeMs(durationRange(durationMs))).toBe(0);
});

it("quantiles are those of the durations", () => {
  const counts = new Map<number, number>();
  for (let durationMs = 1; durationMs <= 1_000; durationMs++) {
    const range = durationRange(durationMs);
    counts.set(range, (counts.get(range) ?? 0) + 1);
  }

  for (const share of [0.01, 0.5, 0.95, 1])
    expect(Math.abs((quantileMs(counts, share) as number) / (share * 1_000) - 1)).toBeLessThan(0.06);
  expect(quantileMs(new Map(), 0.5)).toBeNull();
});
