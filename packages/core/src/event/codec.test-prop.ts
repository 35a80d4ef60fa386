import { fc, test } from "@fast-check/vitest";
import { SuperJSON } from "superjson";
import { describe, expect } from "vitest";
import { limited } from "../../test/support/limited.js";
import { encodeMeasured, encodeValue, superjsonLeaves } from "../value/codec.js";
import { copyValue } from "../value/copy.js";
import { forms, readersWith } from "../value/forms.js";
import { deepFreeze } from "../value/freeze.js";
import { guardJson } from "../value/guard.js";
import { valueLimits } from "../value/limits.js";
import { sameValue } from "./equal.js";
import { decodeValue } from "./event-codec.js";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
const key = fc.string({ unit: "binary" }).filter((name) => !forbidden.has(name));
const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.bigInt(),
  fc.date({ noInvalidDate: true }),
  fc.webUrl().map((url) => new URL(url)),
  fc.uint8Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
  ),
}));

/** Knows the two forms of the generated values that are our own. */
const superjson = new SuperJSON();
for (const [name, form, isOwn] of [
  ["@bytes", forms.View, ArrayBuffer.isView],
  ["@bigint", forms.bigint, (given: unknown) => typeof given === "bigint"],
] as const) {
  superjson.registerCustom<unknown, never>(
    {
      isApplicable: (given): given is unknown => isOwn(given),
      serialize: (given) => form.encode(given as never) as never,
      deserialize: (json) => readersWith(superjsonLeaves).get(`custom,${name}`)?.(json),
    },
    name,
  );
}

/** All objects in a value, and the value. */
function partsOf(of: unknown): object[] {
  if (typeof of !== "object" || of === null) return [];
  if (of instanceof Map) return [of, ...[...of].flat().flatMap(partsOf)];
  if (ArrayBuffer.isView(of)) return [of, of.buffer];
  return [of, ...(of instanceof Set ? [...of] : Object.values(of)).flatMap(partsOf)];
}

function isTaken(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const json = fc.jsonValue().filter((data) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(data)));

describe("value codec", () => {
  test.prop([value])("decode(encode(x)) equals x, through text", (before) => {
    const text = JSON.stringify(encodeValue(before, "value"));

    expect(decodeValue(JSON.parse(text), "value")).toStrictEqual(before);
  });

  test.prop([value])("writes what superjson alone writes of the whole, and reads it", (before) => {
    const { json, meta } = superjson.serialize(before);
    const expected = meta?.values === undefined ? { json } : { json, meta: meta.values };

    expect(encodeValue(before, "value")).toEqual(expected);
    expect(decodeValue(JSON.parse(JSON.stringify(expected)), "value")).toStrictEqual(before);
  });

  test.prop([value])("a copy equals what it is of, and shares nothing that can change", (before) => {
    const copy = copyValue(before);
    const shared = partsOf(before);

    expect(copy).toStrictEqual(before);
    expect(partsOf(copy).filter((part) => shared.includes(part))).toEqual([]);
  });

  test.prop([value, fc.nat(12), fc.nat(200)])(
    "refuses for its size exactly what the reader refuses",
    (before, items, characters) => {
      const { json } = encodeMeasured(before, "value", []);
      const restore = limited(valueLimits, { items, characters, depth: 400 });

      const isRead = isTaken(() => guardJson(json, { code: "SNAPSHOT_HOSTILE" }));
      const isWritten = isTaken(() => encodeValue(before, "value"));
      restore();

      expect(isWritten).toBe(isRead);
    },
  );

  test.prop([value, fc.nat(8)])("takes nothing that is too deep for the reader", (before, depth) => {
    const { json } = encodeMeasured(before, "value", []);
    const restore = limited(valueLimits, { depth });

    const isRead = isTaken(() => guardJson(json, { code: "SNAPSHOT_HOSTILE" }));
    const isWritten = isTaken(() => encodeValue(before, "value"));
    restore();

    expect(isRead || !isWritten).toBe(true);
  });

  test.prop([value])("encodes to what the guard lets through", (before) => {
    guardJson(JSON.parse(JSON.stringify(encodeValue(before, "value"))), { code: "SNAPSHOT_HOSTILE" });
  });

  test.prop([json])("reads any JSON as an encoded value, or refuses it with a code", (data) => {
    try {
      decodeValue({ json: data, meta: data }, "value");
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^SNAPSHOT_/) });
    }
  });
});

describe("sameValue", () => {
  test.prop([value])("holds for a value and its copy", (before) => {
    expect(sameValue(before, decodeValue(encodeValue(before, "value"), "value"))).toBe(true);
  });

  test.prop([json, json])("agrees with the text of JSON", (left, right) => {
    const text = (data: unknown): string =>
      JSON.stringify(data, (_, inner) =>
        inner !== null && typeof inner === "object" && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
          : inner,
      );
    // JSON text does not know -0.
    fc.pre(!Object.is(left, -0) && !Object.is(right, -0));

    expect(sameValue(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right)))).toBe(
      text(left) === text(right),
    );
  });
});

describe("deepFreeze", () => {
  test.prop([fc.jsonValue()])("freezes every array and object", (data) => {
    const open: unknown[] = [deepFreeze(data)];
    for (const inner of open) {
      expect(Object.isFrozen(inner)).toBe(true);
      if (typeof inner === "object" && inner !== null) open.push(...Object.values(inner));
    }
  });
});
