import { expect, it } from "vitest";
import { nearest } from "./option-rules.js";

it.each([
  ["jok", ["Joke", "Poke"], "Joke"],
  ["a", ["A"], "A"],
  ["B", ["In"], null],
  ["xy", ["In", "Out"], null],
  ["b", ["a"], null],
])("the name nearest to %j of %j is %j", (name, candidates, near) => {
  expect(nearest(name, candidates)).toBe(near);
});
