import { describe, expect, expectTypeOf, it } from "vitest";
import {
  anything,
  count,
  flag,
  list,
  MAX_PROBLEMS,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  type Shaped,
  text,
  time,
  tuple,
  union,
} from "./shape.js";

const pathsOf = (shape: Shape, value: unknown): string[] | undefined => shape(value)?.map(({ path }) => path);
const point = object({ x: number, y: number, label: optional(text) });

describe("a shape", () => {
  it("has no problems with what fits, and ignores fields that it does not know", () => {
    expect(point({ x: 1, y: 2, z: 3 })).toBeNull();
  });

  it("returns every problem with its path", () => {
    expect(
      object({ points: list(point), on: flag })({
        points: [
          { x: 1, y: "2" },
          { y: 0, label: 7 },
        ],
      }),
    ).toEqual([
      { path: "points.0.y", what: 'is "2", not a number' },
      { path: "points.1.x", what: "is missing, not a number" },
      { path: "points.1.label", what: "is 7, not a string" },
      { path: "on", what: "is missing, not true or false" },
    ]);
  });

  it.each([null, undefined, 7, "text", [], () => ({})])("refuses %j as an object", (value) => {
    expect(pathsOf(point, value)).toEqual([""]);
  });

  it("has a type that says which fields may be absent", () => {
    expectTypeOf<Shaped<typeof point>["x"]>().toEqualTypeOf<number>();
    expectTypeOf<{ x: 1; y: 2 }>().toExtend<Shaped<typeof point>>();
    expectTypeOf<Shaped<typeof point>["label"]>().toEqualTypeOf<string | undefined>();
  });

  it("stops after some problems: damaged data has the same one everywhere", () => {
    const problems = list(point)(Array.from({ length: 5_000 }, () => ({})));

    expect(problems?.length).toBeGreaterThanOrEqual(MAX_PROBLEMS);
    expect(problems?.length).toBeLessThan(MAX_PROBLEMS + 2);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.65e15, "0", null])("refuses %s as a time", (value) => {
    expect(pathsOf(time, value)).toEqual([""]);
  });

  it.each([-1, 0.5, 2 ** 53, Number.NaN, "1"])("refuses %s as a count", (value) => {
    expect(pathsOf(count, value)).toEqual([""]);
  });

  it("checks lists by place, and objects with any names", () => {
    expect(pathsOf(tuple(text, number), ["a"])).toEqual(["1"]);
    expect(pathsOf(tuple(text, number), "ab")).toEqual([""]);
    expect(pathsOf(tuple(text, number), ["a", "b"])).toEqual(["1"]);
    expect(pathsOf(mapOf(number), JSON.parse('{ "__proto__": "x", "constructor": 1 }'))).toEqual(["__proto__"]);
  });
});

describe("a union", () => {
  const shape = union("kind", { circle: { radius: number }, word: { text, of: oneOf("a", "b") }, nothing: {} });

  it("checks the fields of the case that its tag names", () => {
    expect(shape({ kind: "circle", radius: 1 })).toBeNull();
    expect(shape({ kind: "nothing", more: anything })).toBeNull();
    expect(shape({ kind: "word", text: 1, of: "c" })).toEqual([
      { path: "text", what: "is 1, not a string" },
      { path: "of", what: 'is "c", not one of a, b' },
    ]);
  });

  it.each(["square", "constructor", "__proto__", 1, null, undefined])("refuses the tag %j", (kind) => {
    expect(pathsOf(shape, { kind })).toEqual(["kind"]);
  });

  it.each([null, undefined, [], "circle"])("refuses %j", (value) => {
    expect(pathsOf(shape, value)).toEqual([""]);
  });

  it("has the type of its cases", () => {
    expectTypeOf<Extract<Shaped<typeof shape>, { kind: "circle" }>["radius"]>().toEqualTypeOf<number>();
  });
});
