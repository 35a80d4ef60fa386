import { describe, expect, it } from "vitest";
import { ago, duration, grouped, plural, short, since } from "./format.js";

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [214.4, "214 ms"],
    [999.6, "1.00 s"],
    [6_620, "6.62 s"],
    [9_996, "10.0 s"],
    [21_000, "21.0 s"],
    [59_960, "1 min 0 s"],
    [124_000, "2 min 4 s"],
    [7_500_000, "2 h 5 min"],
    [172_800_000, "2 d"],
  ])("says %d ms in three figures: %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe("since", () => {
  it.each([
    [0, "+0ms"],
    [1_560, "+1.56s"],
    [59_999, "+59.9s"],
    [60_000, "+1:00"],
    [610_000, "+10:10"],
    [3_723_000, "+1:02:03"],
    [86_399_000, "+23:59:59"],
    [273_600_000, "+3d 4h"],
  ])("says %d ms in the width of a column: %s", (ms, text) => {
    expect(since(ms)).toBe(text);
  });
});

describe("ago", () => {
  it.each([
    [4_000, "just now"],
    [-5_000, "just now"],
    [59_000, "59 s ago"],
    [60_000, "1 min ago"],
    [3_600_000, "1 h ago"],
    [90_000_000, "1 d ago"],
  ])("says of %d ms: %s", (ms, text) => {
    expect(ago(0, ms)).toBe(text);
  });
});

describe("numbers and values", () => {
  it("groups digits", () => {
    expect([7, 999, 1_000, 100_000, 1_234_567].map(grouped)).toEqual([
      "7",
      "999",
      "1\u2009000",
      "100\u2009000",
      "1\u2009234\u2009567",
    ]);
  });

  it("counts things", () => {
    expect([plural(1, "retry"), plural(3, "retry"), plural(0, "run")]).toEqual(["1 retry", "3 retries", "0 runs"]);
  });

  it("cuts long values", () => {
    expect([short({ a: 1 }), short("abcdef", 5), short(undefined)]).toEqual(['{"a":1}', '"abc…', "–"]);
  });
});
