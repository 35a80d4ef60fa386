import { expect, it } from "vitest";
import { differencesOf } from "./differences.js";

it("names the paths where two values differ", () => {
  const a = { same: [1, { x: 1 }], list: [1, 2], gone: true, kind: [1] };
  const b = { same: [1, { x: 1 }], list: [1, 3, 4], new: null, kind: { 0: 1 } };

  expect(differencesOf(a, b)).toEqual([
    { path: ["list", 1], a: 2, b: 3 },
    { path: ["list", 2], b: 4 },
    { path: ["gone"], a: true },
    { path: ["kind"], a: [1], b: { 0: 1 } },
    { path: ["new"], b: null },
  ]);
  expect(differencesOf(a, structuredClone(a))).toEqual([]);
});
