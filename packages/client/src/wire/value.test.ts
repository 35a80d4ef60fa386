/** The measure is what the engine writes and reads: two values are the same when it writes the same for both. */
import fc from "fast-check";
import { event } from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { decodeValue as readInEngine } from "../../../core/src/event/event-codec.js";
import { encodeValue as writeInEngine } from "../../../core/src/value/codec.js";
import { decodeValue, encodeValue, isPlain } from "./value.js";

/** The same in every run, so that a change is judged by what it changes. A search: `FAST_CHECK_SEED=random`. */
const wanted = process.env["FAST_CHECK_SEED"] ?? "20261121";
if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });

/**
 * Not through JSON text: the `JSON.parse` of Node 24.21 takes some names with a backslash for others (`{"a":1,"\"":1}`). A field that is
 * undefined does not travel.
 */
const overTheWire = <Value>(value: Value): Value => tidy(structuredClone(value)) as Value;

/** Names that need care in a path. */
const names = fc.oneof(
  fc.constantFrom("", ".", "\\", "a.b", "a\\.b", "\\\\", "0", "meta", "json", "länge"),
  fc.string({ maxLength: 3 }).filter((name) => !["__proto__", "constructor", "prototype"].includes(name)),
);

const leaves = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, Number.NaN, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined),
  fc.date({ noInvalidDate: true }),
  fc.bigInt(),
  fc.webUrl().map((url) => new URL(url)),
  fc.uint8Array({ maxLength: 5 }),
  fc.float64Array({ maxLength: 3, noNaN: true }),
);

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaves,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((members) => new Set(members)),
  ),
}));

/** A field that is undefined counts as left out: JSON has none either. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (value instanceof Map) return new Map([...value].map(([name, part]) => [tidy(name), tidy(part)]));
  if (value instanceof Set) return new Set([...value].map(tidy));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === undefined ? [] : [[name, tidy(part)]])),
  );
}

describe("values", () => {
  it("does not lose a name that servers refuse", () => {
    const input = JSON.parse('{"list":[{"__proto__":{"admin":true}}]}');

    expect(() => encodeValue(input)).toThrow("list.0.__proto__ is a forbidden key");
  });

  it("of the client are read by the engine", () => {
    fc.assert(
      fc.property(values, (value) => {
        const read = readInEngine(overTheWire(encodeValue(value)), "value");
        expect(JSON.stringify(writeInEngine(read, "value"))).toBe(JSON.stringify(writeInEngine(tidy(value), "value")));
      }),
    );
  });

  it("of the engine are read by the client", () => {
    fc.assert(
      fc.property(values, (value) => {
        const read = decodeValue(overTheWire(writeInEngine(value, "value")));
        expect(JSON.stringify(writeInEngine(read, "value"))).toBe(JSON.stringify(writeInEngine(value, "value")));
      }),
    );
  });

  it("are plain where JSON holds them, and then have no meta", () => {
    expect(isPlain({ a: [1, "", null, { b: undefined }] })).toBe(true);
    expect(encodeValue({ a: 1, b: undefined })).toEqual({ json: { a: 1 } });
    expect([new Date(0), -0, 1n, [undefined], new Map(), () => {}].map((value) => isPlain({ value }))).toEqual(
      Array(6).fill(false),
    );
  });

  it("may be errors, and events of a class", () => {
    class Joke extends event("Joke", { at: z.date() }) {}

    const { json, meta } = overTheWire(encodeValue([new TypeError("no"), new Joke({ at: new Date(0) })]));

    expect(meta).toEqual({ "0": [["custom", "@error"]], "1": [["custom", "@event"], { "data.at": ["Date"] }] });
    expect(decodeValue({ json, meta })).toEqual([
      Object.assign(new Error("no"), { name: "TypeError" }),
      { type: "Joke", at: new Date(0) },
    ]);
  });
});

describe("a meta that is not what it should be", () => {
  it("leaves a form that is not known here as it came", () => {
    const meta = { money: [["custom", "Money"]], at: ["Date"], pattern: ["regexp"], "a.toString": ["toString"] };
    const json = { money: 3, at: "1970-01-01T00:00:00.000Z", pattern: "/a/", a: { toString: 1 } };

    expect(decodeValue({ json, meta })).toEqual({ ...json, at: new Date(0) });
  });

  it("reads the parts of a form that is not known here", () => {
    const meta = { price: [["custom", "Price"], { since: ["Date"] }] };
    const json = { price: { cents: 3, since: "1970-01-01T00:00:00.000Z" } };

    expect(decodeValue({ json, meta })).toEqual({ price: { cents: 3, since: new Date(0) } });
    expect(json.price.since).toBe("1970-01-01T00:00:00.000Z");
  });

  it.each(["__proto__.polluted", "constructor.prototype", "missing", "a.b.c", "toString"])(
    "leads to no prototype, and nowhere else outside of the value: %s",
    (path) => {
      const json = JSON.parse('{"a":{"b":1},"__proto__":{"polluted":1}}');

      expect(() => decodeValue({ json, meta: { [path]: ["undefined"] } })).toThrow(TypeError);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});
