import { describe, expect, it } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { guardJson } from "./guard.js";

const code = "SNAPSHOT_HOSTILE";
const hostile = (what: string) => expect.objectContaining({ code, message: expect.stringContaining(what) });

describe("guardJson", () => {
  it("accepts JSON", () => {
    expect(() => guardJson({ a: [1, "b", null, true, { c: {} }] }, { code })).not.toThrow();
  });

  it("says how large it is, and freezes what is asked to be frozen", () => {
    const [left, own] = [{ ab: ["c", { d: 1 }] }, { ab: ["c", { d: 1 }] }];

    expect(guardJson(left, { code })).toEqual({ items: 4, characters: 4 });
    guardJson(own, { code, freeze: true });

    expect([left.ab[1], left].map(Object.isFrozen)).toEqual([false, false]);
    expect([own.ab[1], own.ab, own].map(Object.isFrozen)).toEqual([true, true, true]);
  });

  it("refuses megabytes of nested arrays and objects without a stack overflow", () => {
    const size = casesOf(2_500_000);
    const arrays = JSON.parse("[".repeat(size * 2) + "]".repeat(size * 2));
    let objects: object = {};
    for (let level = 0; level < size; level++) objects = { a: objects };

    expect(() => guardJson(arrays, { code })).toThrow(hostile("200 levels"));
    expect(() => guardJson(objects, { code })).toThrow(hostile("200 levels"));
  });

  it("refuses a circle", () => {
    const circle: unknown[] = [];
    circle.push(circle);

    expect(() => guardJson(circle, { code })).toThrow(hostile("200 levels"));
  });

  it.each(["__proto__", "constructor", "prototype"])("refuses the key %s anywhere", (key) => {
    expect(() => guardJson(JSON.parse(`[{"a":{"${key}":{"polluted":true}}}]`), { code })).toThrow(hostile(key));
  });

  it.each([() => 1, Symbol("s"), 1n, undefined, NaN, Infinity, new Date(0), new Map()])(
    "refuses a value that is not JSON: %s",
    (value) => {
      expect(() => guardJson({ value }, { code })).toThrow(hostile("not JSON"));
    },
  );

  it("counts keys, items and characters over the whole", () => {
    const limits = { depth: 200, items: 5, characters: 7 };

    expect(() => guardJson([[1, 2], { a: 1, b: 2 }], { code, limits })).toThrow(
      hostile("6 keys and items, more than the 5 that a value may have"),
    );
    expect(() => guardJson([[1, 2], { a: 1, b: 2 }], { code, limits: { ...limits, items: 6 } })).not.toThrow();
    expect(() => guardJson([{ abc: "def" }, "gh"], { code, limits })).toThrow(
      hostile("8 characters, more than the 7 that a value may have"),
    );
    expect(() => guardJson([{ abc: "def" }, "gh"], { code, limits: { ...limits, characters: 8 } })).not.toThrow();
  });

  it("throws with the code it is given", () => {
    expect(() => guardJson(1n, { code: "EVENT_INVALID" })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });
});
