/** Freezes and copies of any value: plain and rich, shared, frozen in part, of a Proxy, of another realm. */
import { runInNewContext } from "node:vm";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { copyValue, isOwn, ownValue } from "../src/value/copy.js";
import { deepFreeze, freezeState } from "../src/value/freeze.js";
import { isPlainObject } from "../src/value/kind.js";

class Point {
  readonly x: unknown;

  constructor(x: unknown) {
    this.x = x;
  }
}

const foreign = (code: string): unknown => runInNewContext(code);
const key = fc.string({ minLength: 1, maxLength: 3 }).filter((name) => !Object.hasOwn(Object.prototype, name));
const leaf = fc.oneof(
  fc.string(),
  fc.double(),
  fc.constantFrom(null, undefined, -0, Number.NaN, true),
  fc.bigInt(),
  fc.date({ noInvalidDate: true }),
  fc.webUrl().map((url) => new URL(url)),
  fc.string().map((message) => new TypeError(message, { cause: new Error("inner") })),
  fc.constantFrom(/a/g, Symbol.iterator, () => 1),
  fc.uint8Array(),
  fc.integer().map((x) => new Point({ x })),
  fc
    .constantFrom("({ a: [1, { b: 2 }] })", "[{ a: 1 }]", "new Map([[{ k: 1 }, { v: [] }]])", "new Date(0)")
    .map(foreign),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => {
  const inner = tie("value");
  const container = fc.oneof(
    fc.array(inner, { maxLength: 4 }),
    fc.dictionary(key, inner, { maxKeys: 4 }),
    fc.array(fc.tuple(inner, inner), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(inner, { maxLength: 3 }).map((items) => new Set(items)),
  );
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      container,
      container.map((one) => Object.freeze(one)),
      container.map((one) => ({ one, again: one, list: [one] })),
      fc.array(inner, { maxLength: 3 }).map((items) => new Proxy(items, {})),
      fc.dictionary(key, inner, { maxKeys: 3 }).map((fields) => new Proxy(fields, {})),
      inner.map((part) => ({
        get part() {
          return part;
        },
      })),
    ),
  };
});

const isObject = (of: unknown): of is object => typeof of === "object" && of !== null;

/** The parts of a container; of others, none. */
function partsIn(of: object): unknown[] {
  if (of instanceof Map) return [...of].flat();
  if (of instanceof Set) return [...of];
  return Array.isArray(of) || isPlainObject(of) ? Object.values(of) : [];
}

function reached(from: unknown, enters: (part: object) => boolean): object[] {
  const found = new Set<object>();
  const open = [from];
  for (const part of open) {
    if (!isObject(part) || found.has(part) || !enters(part)) continue;
    found.add(part);
    open.push(...partsIn(part));
  }
  return [...found];
}

const isPlain = (part: object): boolean => Array.isArray(part) || (isOwn(part) && isPlainObject(part));
const isContainer = (part: object): boolean =>
  Array.isArray(part) || part instanceof Map || part instanceof Set || isPlainObject(part);

describe("deepFreeze", () => {
  test.prop([value])("leaves no plain part that can change, unless something around it was frozen", (given) => {
    const kept = new Set(reached(given, (part) => isPlain(part)).filter((part) => Object.isFrozen(part)));

    const made = deepFreeze(given);

    for (const part of reached(made, (one) => isPlain(one) && !kept.has(one))) expect(Object.isFrozen(part)).toBe(true);
  });

  test.prop([value])("gives the value itself if all of it can be kept", (given) => {
    // What is frozen is not looked into.
    const stays = (part: unknown): boolean => !isObject(part) || Object.isFrozen(part) || isOwn(part);
    const looked = reached(given, (part) => !Object.isFrozen(part) && isOwn(part) && isPlain(part));
    const canKeep = stays(given) && looked.every((part) => partsIn(part).every(stays));

    expect(Object.is(deepFreeze(given), given)).toBe(canKeep);
  });
});

describe("freezeState", () => {
  test.prop([value])("freezes every record, list, Map and Set, and nothing else", (given) => {
    const all = reached(given, () => true);
    const frozenBefore = new Set(all.filter((part) => Object.isFrozen(part)));
    const others = all.filter((part) => !isContainer(part) && !frozenBefore.has(part));

    expect(Object.is(freezeState(given), given)).toBe(true);

    for (const part of reached(given, isContainer)) {
      expect(Object.isFrozen(part)).toBe(true);
      if ((part instanceof Map || part instanceof Set) && !frozenBefore.has(part))
        expect(() => part.clear()).toThrow("is frozen");
    }
    expect(others.filter((part) => Object.isFrozen(part))).toEqual([]);
  });
});

describe("copies", () => {
  test.prop([value])("share with what they are of only what cannot be kept out", (given) => {
    const copy = copyValue(given);
    const shared = new Set(reached(given, isContainer));

    expect(Object.is(copy, given) || reached(copy, isContainer).every((part) => !shared.has(part))).toBe(true);
  });

  test.prop([value])("with a circle end, and keep it", (part) => {
    const given: Record<string, unknown> = { part };
    given["self"] = given;
    const copy = ownValue(given);

    expect(copy).not.toBe(given);
    expect(copy["self"]).toBe(copy["part"] === given ? given : copy);
  });
});
