import { expect, it } from "vitest";
import { factsOf } from "./diff.js";
import { differencesOf } from "./differences.js";

const completed = { type: "step.completed", item: 1, atMs: 5, elapsedMs: 3, output: { type: "Done", data: { n: 1 } } };

it("two runs of one input do not differ by how long their attempts have worked, or by who has asked", () => {
  const other = { ...completed, atMs: 70, elapsedMs: 61, by: { user: "ada", door: "http" } };

  expect(differencesOf(factsOf(completed), factsOf(other))).toEqual([]);
});

it("two runs differ by a field of an event that is called `elapsedMs`", () => {
  const withField = (elapsedMs: number) => ({ ...completed, output: { type: "Done", data: { elapsedMs } } });

  expect(differencesOf(factsOf(withField(1)), factsOf(withField(2)))).toHaveLength(1);
});
