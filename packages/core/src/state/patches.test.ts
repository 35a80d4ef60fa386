import { describe, expect, it } from "vitest";
import { applyPatches, diffState } from "./patches.js";

const long = "x".repeat(100);

describe("diffState", () => {
  it("names the one value that changed", () => {
    expect(diffState({ a: { b: 1, c: long }, d: long }, { a: { b: 2, c: long }, d: long }).patches).toEqual([
      { op: "replace", path: ["a", "b"], value: 2 },
    ]);
  });

  it("adds and removes at the place, not behind it", () => {
    const [first, ...rest] = [
      { id: 1, text: long },
      { id: 2, text: long },
      { id: 3, text: long },
    ];
    const last = { id: 4, text: long };

    expect(diffState({ list: [first, ...rest], x: long }, { list: [...rest, last], x: long }).patches).toHaveLength(3);
    expect(diffState({ list: [first, ...rest], x: long }, { list: rest, x: long }).patches).toEqual([
      { op: "remove", path: ["list", 0] },
    ]);
    expect(diffState({ list: rest, x: long }, { list: [...rest, last], x: long }).patches).toEqual([
      { op: "add", path: ["list", 2], value: last },
    ]);
  });

  it("returns the whole of what changed all over", () => {
    expect(diffState({ a: 1, b: 2 }, { a: 2, b: 3 }).patches).toBeNull();
    expect(diffState({ p: { a: 1, b: 2 }, x: long }, { p: { a: 2, b: 3 }, x: long }).patches).toEqual([
      { op: "replace", path: ["p"], value: { a: 2, b: 3 } },
    ]);
  });

  it("finds nothing where equal data was written again", () => {
    expect(diffState({ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2 }] } }).patches).toEqual([]);
  });

  it("keeps the order of keys", () => {
    const before = { a: 1, b: 2, text: long };
    const after = { b: 2, text: long, a: 1 };

    expect(diffState({ o: before, x: long }, { o: after, x: long }).patches).toEqual([
      { op: "replace", path: ["o"], value: after },
    ]);
  });

  it("adds a key that looks like an index, wherever it sorts", () => {
    expect(diffState({ s: { 1: long, 9: long } }, { s: { 1: long, 5: 0, 9: long } }).patches).toEqual([
      { op: "add", path: ["s", "5"], value: 0 },
    ]);
  });

  it("reaches into a Map by keys that JSON keeps, and replaces it for others", () => {
    const inner = { n: 1, text: long };

    expect(diffState({ m: new Map([[7, inner]]) }, { m: new Map([[7, { ...inner, n: 2 }]]) }).patches).toEqual([
      { op: "replace", path: ["m", 7, "n"], value: 2 },
    ]);
    const after = new Map([[true, { ...inner, n: 2 }]]);
    expect(diffState({ m: new Map([[true, inner]]), x: long }, { m: after, x: long }).patches).toEqual([
      { op: "replace", path: ["m"], value: after },
    ]);
  });

  it("adds to and removes from a Set of primitives, and replaces one of objects", () => {
    const items = [long, "b", "c"];

    expect(diffState({ s: new Set([...items, "d"]) }, { s: new Set([...items, "e"]) }).patches).toEqual([
      { op: "remove", path: ["s", 0], value: "d" },
      { op: "add", path: ["s", 0], value: "e" },
    ]);
    const after = new Set([{ a: 1 }]);
    expect(diffState({ s: new Set([{ a: 2 }]), x: long }, { s: after, x: long }).patches).toEqual([
      { op: "replace", path: ["s"], value: after },
    ]);
  });
});

describe("applyPatches", () => {
  it("leaves the state before it as it was, shares what did not change, and freezes the rest", () => {
    const before = Object.freeze({ a: Object.freeze({ list: Object.freeze([1]) }), b: Object.freeze({}) });
    const after = applyPatches(before, [{ op: "add", path: ["a", "list", 1], value: { n: 2 } }]) as {
      a: { list: object[] };
      b: object;
    };

    expect(before.a.list).toEqual([1]);
    expect(after).toEqual({ a: { list: [1, { n: 2 }] }, b: {} });
    expect(after.b).toBe(before.b);
    expect([after, after.a, after.a.list, after.a.list[1]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it.each([[["__proto__", "x"]], [["a", "constructor"]], [["a", "missing", "x"]]])("refuses the path %j", (path) => {
    expect(() => applyPatches({ a: {} }, [{ op: "add", path, value: 1 }])).toThrow();
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});
