import { describe, expect, it } from "vitest";
import * as z from "zod";
import { event, StopEvent } from "../index.js";
import { digest } from "../value/digest.js";
import { deepFreeze } from "../value/freeze.js";
import { nearest } from "../value/option-rules.js";
import { keyText, sameValue } from "./equal.js";

/** Shows nothing of what it holds. */
class Purse {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}

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
    [new Set([{ a: 1 }, { a: 1 }]), new Set([{ a: 1 }, { a: 2 }])],
    [
      new Map([
        [{ a: 1 }, 1],
        [{ a: 2 }, 1],
      ]),
      new Map([
        [{ a: 1 }, 1],
        [{ a: 1 }, 1],
      ]),
    ],
    [new Date(1_000), new Date(1_999)],
    [new Error("a"), new Error("b")],
    [new Error("a", { cause: 1 }), new Error("a", { cause: 2 })],
    [new Error("a"), new RangeError("a")],
    [
      new (class A {
        n = 1;
      })(),
      new (class A {
        n = 1;
      })(),
    ],
    [new Purse(5), new Purse(6)],
    [new DataView(new ArrayBuffer(1)), new DataView(new ArrayBuffer(1))],
    [() => {}, () => {}],
    [Symbol("a"), "Symbol(a)"],
    [[1], ["1"]],
    [["a", "b"], ["a,b"]],
    [0, -0],
    [1, "1"],
    [null, {}],
  ])("distinguishes %o from %o", (left, right) => {
    expect(sameValue(left, right)).toBe(false);
    expect(sameValue(right, left)).toBe(false);
  });

  it("takes records without a prototype as records, and what shows nothing of itself as equal to itself only", () => {
    const [purse, act] = [new Purse(5), (): void => {}];

    expect(sameValue(Object.assign(Object.create(null), { a: 1 }), { a: 1 })).toBe(true);
    expect([sameValue(purse, purse), sameValue({ act }, { act })]).toEqual([true, true]);
    expect(keyText([purse, act])).toBe(keyText([purse, act]));
    expect(keyText(purse)).not.toBe(keyText(new Purse(5)));
  });

  it("compares events by type and fields, also those without", () => {
    class Line extends event("Line", { n: z.number() }) {}
    class Empty extends event("Empty") {}
    class Other extends event("Other") {}

    expect(sameValue(new Line({ n: 1 }), new Line({ n: 1 }))).toBe(true);
    expect(sameValue([new Empty()], [new Empty()])).toBe(true);
    expect(keyText([new Line({ n: 1 }), new Empty()])).toBe(keyText([new Line({ n: 1 }), new Empty()]));
    expect([sameValue(new Line({ n: 1 }), new Line({ n: 2 })), sameValue(new Empty(), new Other())]).toEqual([
      false,
      false,
    ]);
    expect(sameValue(new StopEvent({ result: [1] }), new StopEvent({ result: [2] }))).toBe(false);
  });

  it("ends on a circle, with its key text too", () => {
    const [one, other]: [unknown[], unknown[]] = [[], []];
    one.push(one);
    other.push(other);

    expect([sameValue(one, other), sameValue(one, one)]).toEqual([false, true]);
    expect(keyText(one)).not.toBe(keyText(other));
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

  it("compares events by type and fields, also those without", () => {
    class Line extends event("Line", { n: z.number() }) {}
    class Empty extends event("Empty") {}
    class Other extends event("Other") {}

    expect(sameValue(new Line({ n: 1 }), new Line({ n: 1 }))).toBe(true);
    expect(sameValue([new Empty()], [new Empty()])).toBe(true);
    expect(keyText([new Line({ n: 1 }), new Empty()])).toBe(keyText([new Line({ n: 1 }), new Empty()]));
    expect([sameValue(new Line({ n: 1 }), new Line({ n: 2 })), sameValue(new Empty(), new Other())]).toEqual([
      false,
      false,
    ]);
    expect(sameValue(new StopEvent({ result: [1] }), new StopEvent({ result: [2] }))).toBe(false);
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
    expect(nearest("x", ["n", "m"])).toBe(null);
  });
});
