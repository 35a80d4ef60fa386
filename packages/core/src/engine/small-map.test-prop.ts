import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { SmallMap } from "./small-map.js";

type Changed = Pick<Map<string, number>, "clear" | "delete"> & { set(key: string, value: number): unknown };

const key = fc.constantFrom("a", "b", "c");
const shrunk = (map: Changed) => (map instanceof SmallMap ? map.shrink() : undefined);
const change = fc.oneof(
  fc.tuple(key, fc.nat()).map(
    ([name, value]) =>
      (map: Changed) =>
        void map.set(name, value),
  ),
  key.map((name) => (map: Changed) => map.delete(name)),
  fc.constant((map: Changed) => map.clear()),
  fc.constant(shrunk),
);

describe("SmallMap", () => {
  test.prop([fc.array(change, { maxLength: 30 })])("holds what a Map holds, in the same order", (changes) => {
    const [small, map] = [new SmallMap<string, number>(), new Map<string, number>()];

    for (const apply of changes) {
      expect(apply(small)).toBe(apply(map));
      expect([...small]).toEqual([...map]);
      expect([[...small.keys()], [...small.values()]]).toEqual([[...map.keys()], [...map.values()]]);
      expect([small.size, small.get("a"), small.has("b")]).toEqual([map.size, map.get("a"), map.has("b")]);
    }
  });
});
