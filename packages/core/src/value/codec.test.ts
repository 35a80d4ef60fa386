import { describe, expect, it } from "vitest";
import { decodeValue } from "../event/event-codec.js";
import { encodeValue } from "./codec.js";
import { examine, type ValueType } from "./storable.js";

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
const money: ValueType = {
  name: "money",
  is: (value) => value instanceof Money,
  encode: (value: Money) => value.cents,
  decode: (cents: number) => new Money(cents),
};
const types = [money];

/** Through text, as a store does it. */
function roundTrip(value: unknown, registered?: readonly ValueType[]): unknown {
  return decodeValue(JSON.parse(JSON.stringify(encodeValue(value, "state", registered))), "state", registered);
}

describe("encodeValue", () => {
  it("returns plain JSON as the same reference", () => {
    const value = { a: [1, { b: "c" }], d: null };

    expect(encodeValue(value, "state").json).toBe(value);
    expect(encodeValue(value, "state")).not.toHaveProperty("meta");
  });

  it.each([
    new Date(5),
    new Map<unknown, unknown>([
      ["a", new Date(1)],
      [{ k: 1 }, 2n],
    ]),
    new Set([1, new Date(1), 3n]),
    10n ** 50n,
    new URL("https://example.org/a?b"),
    undefined,
    NaN,
    -Infinity,
    -0,
    [undefined, 1],
    { "a.b": { "c\\": new Date(0) } },
    new Uint8Array([1, 2, 255]),
    new Float64Array([NaN, -0, 1.5]),
    new BigInt64Array([-1n]),
    new Float64Array([1, 2, 3]).subarray(1),
  ])("keeps %o exactly", (value) => {
    expect(roundTrip({ value })).toStrictEqual({ value });
  });

  it("keeps name, message, stack and cause of an error", () => {
    const error = new TypeError("outer", { cause: new Error("inner") });

    const back = (roundTrip({ error }) as { error: Error }).error;

    expect(back).toBeInstanceOf(Error);
    expect(back).toMatchObject({ name: "TypeError", message: "outer", stack: error.stack });
    expect(back.cause).toMatchObject({ message: "inner" });
  });

  it("keeps instances of registered classes, deep inside", () => {
    expect(roundTrip({ list: new Map([["a", new Money(5)]]) }, types)).toStrictEqual({
      list: new Map([["a", new Money(5)]]),
    });
  });

  it("returns shared references as copies that do not affect each other", () => {
    const shared = { at: new Date(0) };

    const back = roundTrip({ a: shared, set: new Set([shared]), b: shared }) as Record<string, unknown>;

    expect(back).toStrictEqual({ a: shared, set: new Set([shared]), b: shared });
    expect(back["a"]).not.toBe(back["b"]);
  });

  it.each([
    ["state.a.f", { a: { f: () => 1 } }, "a function"],
    ["state.list.1", { list: [1, Symbol("s")] }, "a symbol"],
    ["state.order", { order: new Money(1) }, "an instance of Money"],
    ["state.map.key.x", { map: new Map([["key", { x: new WeakMap() }]]) }, "an instance of WeakMap"],
    ["state.at", { at: new Date(NaN) }, "an invalid date"],
    // biome-ignore lint/suspicious/noSparseArray: that is the point
    ["state.list.1", { list: [1, , 3] }, "an array with holes"],
    ["state.a.constructor", { a: { constructor: 1 } }, "a forbidden key"],
    ["state.__proto__", JSON.parse('{"__proto__": 1}'), "a forbidden key"],
    ["state.job", { job: Promise.resolve() }, "an instance of Promise"],
  ])("names the path %s", (path, value, what) => {
    expect(() => encodeValue(value, "state")).toThrow(
      expect.objectContaining({
        code: "VALUE_UNSERIALIZABLE",
        message: `${path} is ${what}, which cannot be stored.`,
        details: { path },
      }),
    );
  });

  // Node has it from version 24 on: a value of it could not be loaded in every process.
  it.runIf("Float16Array" in globalThis)("refuses a typed array that is not in every process by its name alone", () => {
    const halves: unknown = Reflect.construct(Reflect.get(globalThis, "Float16Array"), [1]);

    expect(() => encodeValue({ halves }, "state")).toThrow(
      "state.halves is an instance of Float16Array, which cannot be stored.",
    );
  });

  it("distinguishes a circle from deep data", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    let deep: unknown = 1;
    for (let level = 0; level < 300; level++) deep = [deep];

    expect(examine(circle, []).fault?.what).toBe("a value that contains itself");
    expect(examine(deep, []).fault?.what).toBe("nested deeper than 200 levels");
  });

  it("refuses what a registered class encodes to when that is not JSON", () => {
    const broken: ValueType = { ...money, encode: () => new WeakSet() };

    expect(() => encodeValue(new Money(1), "state", [broken])).toThrow(
      expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" }),
    );
  });
});

describe("decodeValue", () => {
  it.each([
    ["no object", 5],
    ["no json", { meta: {} }],
    ["an unknown form", { json: "x", meta: ["class"] }],
    ["a class", { json: {}, meta: [["class", "Money"]] }],
    ["a type that is not registered", { json: 1, meta: [["custom", "money"]] }],
    ["a buffer of 4 GB", { json: 4e9, meta: [["typed-array", "Uint8Array"]] }],
    ["a view that is none", { json: ["Function", "AAAA"], meta: [["custom", "@bytes"]] }],
    ["a bigint of a million digits", { json: "9".repeat(1_000_000), meta: [["custom", "@bigint"]] }],
    ["a regular expression", { json: "/(a+)+$/", meta: ["regexp"] }],
    ["a map that is none", { json: [1], meta: ["map"] }],
  ])("refuses %s", (_, encoded) => {
    expect(() => decodeValue(encoded, "state")).toThrow(expect.objectContaining({ code: "SNAPSHOT_INVALID" }));
  });

  it("refuses keys and paths to prototypes", () => {
    expect(() => decodeValue({ json: JSON.parse('{"__proto__":{"x":1}}'), meta: { a: ["Date"] } }, "state")).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_HOSTILE" }),
    );
    expect(() => decodeValue({ json: {}, meta: { "constructor.prototype.x": ["undefined"] } }, "state")).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_INVALID" }),
    );
    expect({}).not.toHaveProperty("x");
  });

  it("leaves the encoded data as it was", () => {
    const encoded = { json: { at: "1970-01-01T00:00:00.000Z" }, meta: { at: ["Date"] } };

    expect(decodeValue(encoded, "state")).toEqual({ at: new Date(0) });
    expect(encoded.json.at).toBe("1970-01-01T00:00:00.000Z");
  });
});
