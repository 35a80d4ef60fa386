import { describe, expect, it } from "vitest";
import { digest } from "./digest.js";
import { sameValue } from "./equal.js";
import { deepFreeze } from "./freeze.js";
import { nearest } from "./nearest.js";

describe("sameValue", () => {
  it.each([
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, { b: undefined }],
    [
      [1, 2],
      [1, 3],
    ],
    [[], {}],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Set([{ a: 1 }]), new Set([{ a: 2 }])],
    [new Date(1), new Date(2)],
    [new Uint8Array([1]), new Uint8Array([2])],
    [new Uint8Array([1]), new Int8Array([1])],
    [0, -0],
    [1, "1"],
    [null, {}],
  ])("tells %o from %o", (left, right) => {
    expect(sameValue(left, right)).toBe(false);
    expect(sameValue(right, left)).toBe(false);
  });

  it("finds keys of a Map and members of a Set that are objects", () => {
    expect(sameValue(new Map([[{ a: 1 }, 2]]), new Map([[{ a: 1 }, 2]]))).toBe(true);
    expect(sameValue(new Set([[1], [2]]), new Set([[2], [1]]))).toBe(true);
  });
});

describe("deepFreeze", () => {
  it("leaves class instances, Map and typed arrays alone", () => {
    class Box {
      open = true;
    }
    const value = deepFreeze({ box: new Box(), map: new Map(), bytes: new Uint8Array(1) });

    value.box.open = false;
    value.bytes[0] = 1;

    expect(value.map.set(1, 1).size).toBe(1);
  });

  it("ends on a circle and on deep data", () => {
    let deep: unknown[] = [];
    const first = deep;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    first.push(deep);

    expect(Object.isFrozen(deepFreeze(deep)[0])).toBe(true);
  });
});

describe("digest", () => {
  it("is 32 hex digits, and the same for the same text alone", () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `run-${index}`);

    expect(digest("run-1")).toMatch(/^[0-9a-f]{32}$/);
    expect(digest("run-1")).toBe(digest("run-1"));
    expect(new Set(texts.map(digest)).size).toBe(texts.length);
    expect(new Set(texts.map((text) => digest(text).slice(0, 16))).size).toBe(texts.length);
  });
});

describe("nearest", () => {
  it("names the likely one, or none", () => {
    expect(nearest("Jok", ["Critique", "Joke"])).toBe("Joke");
    expect(nearest("critque", ["Critique", "Joke"])).toBe("Critique");
    expect(nearest("Invoice", ["Critique", "Joke"])).toBe(null);
  });
});
