import { describe, expect, it } from "vitest";
import { calendarOf, type Occurrences } from "./calendar.js";

const at = (day: number, hour: number): number => new Date(2026, 10, day, hour).getTime();
const nowMs = at(27, 12);
const of = (name: string, parts: Partial<Occurrences>): Occurrences => {
  return { name, paused: false, nextMs: [], isCut: false, skips: [], ...parts };
};

describe("the calendar of schedules", () => {
  it("has what comes by day, the earliest first, also over the end of a month", () => {
    const daily = of("daily", { nextMs: [at(28, 9), at(29, 9), at(30, 9), at(31, 9), at(45, 9)] });
    const early = of("early", { nextMs: [at(28, 3)], paused: true });
    const days = calendarOf([daily, early], { nowMs, days: 7 });

    expect(days.map(({ atMs }) => atMs)).toEqual([at(28, 0), at(29, 0), at(30, 0), at(31, 0)]);
    expect(days[0]?.rows).toEqual([
      { name: "early", paused: true, timesMs: [at(28, 3)], isCut: false, skipped: null },
      { name: "daily", paused: false, timesMs: [at(28, 9)], isCut: false, skipped: null },
    ]);
    expect(calendarOf([daily], { nowMs, days: 30 })).toHaveLength(5);
  });

  it("has several of one schedule together, and says where more follow than are known", () => {
    const nextMs = [at(27, 13), at(27, 14), at(28, 13)];
    const [today, tomorrow, ...later] = calendarOf([of("often", { nextMs, isCut: true })], { nowMs, days: 7 });

    expect(today?.rows).toMatchObject([{ timesMs: nextMs.slice(0, 2), isCut: false }]);
    expect(tomorrow?.rows).toMatchObject([{ timesMs: [at(28, 13)], isCut: true }]);
    expect(later.map(({ rows }) => rows)).toMatchObject(Array(5).fill([{ timesMs: [], isCut: true }]));
    expect(calendarOf([of("often", { nextMs, isCut: true })], { nowMs, days: 1 })[0]?.rows).toMatchObject([
      { isCut: false },
    ]);
  });

  it("has what was skipped in the last week, with the reason", () => {
    const skips = [
      { atMs: at(1, 3), reason: "missed" },
      { atMs: at(26, 3), reason: "missed" },
      { atMs: at(26, 4), reason: "overlap" },
    ] as const;

    expect(calendarOf([of("nightly", { skips })], { nowMs, days: 7 })).toMatchObject([
      { atMs: at(26, 0), rows: [{ skipped: "missed" }, { skipped: "overlap" }] },
    ]);
  });
});
