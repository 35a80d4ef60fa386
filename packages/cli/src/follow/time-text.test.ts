import { describe, expect, it } from "vitest";
import * as z from "zod";
import { timeHint, timeProblem } from "./time-text.js";

const schemas = { date: z.iso.date(), "date-time": z.iso.datetime({ offset: true }) };
const texts = [
  ...["2026-11-29", "2028-02-29", "2026-02-29", "2026-02-30", "2026-13-01", "2026-1-1", "29.11.2026", "tomorrow", ""],
  ...["2026-11-29T14:30:00Z", "2026-11-29T14:30:00.5Z", "2026-11-29T14:30:00+02:00", "2026-02-30T14:30:00Z"],
  ...["2026-11-29T24:00:00Z", "2026-11-29T", "14:30"],
];

describe("a date or a time that is typed", () => {
  it.each(Object.entries(schemas))("is what zod takes: %s", (format, schema) => {
    for (const text of texts)
      expect([text, timeProblem(format, text) === null]).toEqual([text, schema.safeParse(text).success]);
  });

  it("says how it is written", () => {
    expect(timeProblem("date", "29.11.2026")).toBe("Not a date. Write it as 2026-11-29.");
    expect(timeProblem("time", "2 pm")).toBe("Not a time. Write it as 14:30.");
    expect(timeProblem("time", "14:30")).toBeNull();
    expect(timeHint("date-time")).toBe(", as 2026-11-29T14:30:00Z");
  });

  it("is not asked for in other formats", () => {
    for (const format of [undefined, "email", "toString", 7])
      expect([timeHint(format), timeProblem(format, "x")]).toEqual(["", null]);
  });
});
