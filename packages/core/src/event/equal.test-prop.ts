import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { encodeValue } from "../value/codec.js";
import { keyText, sameValue } from "./equal.js";
import { decodeValue } from "./event-codec.js";

class Money {
  readonly cents: unknown;
  constructor(cents: unknown) {
    this.cents = cents;
  }
}

/** Few of each, so that two of them are often equal. */
const leaf = fc.oneof(
  fc.constantFrom<unknown>("", "1", "a", "null", '"', "1n", "-0", "[1]", "Map{}"),
  fc.constantFrom<unknown>(0, -0, 1, Number.NaN, Number.POSITIVE_INFINITY, true, false, null, undefined, 0n, 1n),
  fc
    .constantFrom<unknown>(new Date(1), new Date(2), new Date(1000), new Date(1999))
    .map((date) => new Date(date as Date)),
  fc.constantFrom("https://a.example/", "https://a.example/1").map((url) => new URL(url)),
  fc.constantFrom("a", "b").map((message) => new RangeError(message)),
  fc.constantFrom("a", "b").map((message) => new Error("failed", { cause: new Error(message) })),
  fc.constantFrom([], [1], [1, 2]).map((bytes) => new Uint8Array(bytes)),
  fc.constantFrom([], [1], [-0], [0]).map((numbers) => new Float64Array(numbers)),
);
const key = fc.constantFrom("a", "b", "1", '"', ":");
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(key, tie("value"), { maxKeys: 2 }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 2 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 2 }).map((items) => new Set(items)),
    tie("value").map((cents) => new Money(cents)),
  ),
}));
const money = {
  name: "Money",
  is: (given: unknown) => given instanceof Money,
  encode: ({ cents }: Money) => encodeValue(cents, "cents"),
  decode: (encoded: unknown) => new Money(decodeValue(encoded, "cents")),
};

describe("the equality of the engine", () => {
  test.prop([value, value], { numRuns: casesOf(2_000) })(
    "returns one key text for equal values, and different ones for others",
    (left, right) => {
      expect(keyText(left) === keyText(right)).toBe(sameValue(left, right));
    },
  );

  test.prop([value, value])("is the same from both sides", (left, right) => {
    expect(sameValue(left, right)).toBe(sameValue(right, left));
  });

  test.prop([fc.array(value, { maxLength: 4 })])("asks for no order where there is none", (items) => {
    const entries = items.map((item, index) => [`key ${index}`, item] as const);

    expect(sameValue(new Set(items), new Set([...items].reverse()))).toBe(true);
    expect(sameValue(Object.fromEntries(entries), Object.fromEntries([...entries].reverse()))).toBe(true);
    expect(sameValue(new Map(entries), new Map([...entries].reverse()))).toBe(true);
    expect(keyText(new Map(entries))).toBe(keyText(new Map([...entries].reverse())));
  });

  test.prop([fc.oneof(leaf, fc.array(leaf), fc.dictionary(key, leaf))])(
    "holds after a restore, with the same key text",
    (before) => {
      const after = decodeValue(JSON.parse(JSON.stringify(encodeValue(before, "value", [money]))), "value", [money]);

      expect([sameValue(before, after), keyText(after)]).toEqual([true, keyText(before)]);
    },
  );
});
