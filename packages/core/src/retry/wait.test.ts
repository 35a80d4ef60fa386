import { describe, expect, it } from "vitest";
import { wait } from "./retry-policy.js";

describe("wait", () => {
  it("doubles from 1 s up to a minute by default", () => {
    const delays = [0, 1, 5, 6, 7].map((retry) => wait.exponential().delayMs(retry, 0));

    expect(delays).toEqual([1000, 2000, 32_000, 60_000, 60_000]);
  });

  it("keeps an exponential delay within its bounds where the power overflows", () => {
    expect(wait.exponential({ max: "1h" }).delayMs(5000, 0)).toBe(3_600_000);
    expect(wait.exponential({ initial: 0 }).delayMs(5000, 0)).toBe(0);
    expect(wait.exponential({ initial: 1, min: 50 }).delayMs(0, 0)).toBe(50);
  });

  it("adds up to the jitter, and never passes max", () => {
    const jittered = wait.exponentialJitter({ initial: 100, max: 1000, jitter: 200 });

    expect([
      jittered.delayMs(0, 0),
      jittered.delayMs(0, 0.5),
      jittered.delayMs(3, 0.9),
      jittered.delayMs(9, 0.9),
    ]).toEqual([100, 200, 980, 1000]);
  });

  it("spreads full jitter from min to the exponential delay", () => {
    const jittered = wait.fullJitter({ initial: 100, min: 20 });

    expect([jittered.delayMs(0, 0), jittered.delayMs(0, 0.5), jittered.delayMs(1, 0.5)]).toEqual([20, 60, 110]);
  });

  it("increments up to max", () => {
    const growing = wait.incrementing({ start: "1s", increment: "2s", max: "4s" });

    expect([0, 1, 2].map((retry) => growing.delayMs(retry, 0))).toEqual([1000, 3000, 4000]);
  });

  it("adds waits up", () => {
    expect(wait.fixed(100).plus(wait.random(0, 10)).plus(wait.fixed(1)).delayMs(0, 0.5)).toBe(106);
  });

  it("names the option of a duration that it cannot read", () => {
    expect(() => wait.exponential({ initial: -1 })).toThrow(/`initial` is -1/);
    expect(() => wait.fixed("soon" as never)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });

  it.each([
    () => wait.random(2, 1),
    () => wait.exponential({ min: "2m" }),
    () => wait.exponential({ base: 0 }),
    () => wait.exponential({ base: Number.NaN }),
  ])("refuses bounds that contradict each other: %s", (make) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
