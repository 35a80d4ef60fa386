import { describe, expect, it } from "vitest";
import { type Duration, toMs } from "./duration.js";

describe("toMs", () => {
  it.each([
    [0, 0],
    [250, 250],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    [0.2, 1],
    [2_000.5, 2_001],
    ["0.5ms", 1],
    [Number.MAX_SAFE_INTEGER, 8e15],
    [Number.MAX_VALUE, 8e15],
    ["999999999999999999d", 8e15],
  ] as const)("reads %s", (duration, ms) => {
    expect(toMs(duration, "timeout")).toBe(ms);
  });

  it.each([-1, NaN, Infinity, "-5s", "5", "s", "1e3s", "5 s", "5w", null, {}, `${"9".repeat(400)}s`])(
    "refuses %s, naming the option",
    (duration) => {
      expect(() => toMs(duration as Duration, "timeout")).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining("`timeout`") }),
      );
    },
  );
});
