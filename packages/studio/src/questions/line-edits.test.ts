import { expect, it } from "vitest";
import { lineEdits } from "./line-edits.js";

const shown = (before: string, after: string) =>
  lineEdits(before, after).map(({ kind, line }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${line}`);

it("keeps common lines, and marks the others", () => {
  expect(shown("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(shown("a", "a")).toEqual([" a"]);
  expect(shown("a\na\nb", "a\nb")).toEqual([" a", "-a", " b"]);
  expect(shown("", "x")).toEqual(["-", "+x"]);
});

it("of long texts that share nothing takes a moment", () => {
  const text = (mark: string) => Array.from({ length: 5_000 }, (_, index) => `${mark}${index}`).join("\n");
  const startedAtMs = performance.now();
  expect(lineEdits(text("a"), text("b"))).toHaveLength(10_000);
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});
