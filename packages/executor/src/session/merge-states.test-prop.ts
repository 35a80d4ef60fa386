import "../../test/support/seed.js";
import { fc, it } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { JsonObject } from "./json.js";
import { mergeLists } from "./merge-lists.js";
import { mergeStates } from "./merge-states.js";

const letters = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;
type Name = (typeof letters)[number];

const small: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom("a", "b"),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom("x", "y", "z"), tie("value"), { maxKeys: 3 }),
})).value;
const state = fc.dictionary(fc.constantFrom("a", "b", "c"), small) as fc.Arbitrary<JsonObject>;
const texts = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 8 });
const names = fc.uniqueArray(fc.constantFrom(...letters), { maxLength: 8 });

const inserts = fc.array(fc.record({ at: fc.nat({ max: 8 }), text: fc.constantFrom("a", "b", "c", "x") }), {
  maxLength: 6,
});

function inserted(base: readonly string[], all: readonly { readonly at: number; readonly text: string }[]): string[] {
  const list = [...base];
  for (const { at, text } of all) list.splice(at, 0, text);
  return list;
}

/** Each of the items is in as many places as it should. */
function countOf(items: readonly unknown[], item: unknown): number {
  return items.filter((one) => one === item).length;
}

function mergedList(base: readonly unknown[], theirs: readonly unknown[], mine: readonly unknown[]): unknown[] {
  return mergeStates({ base: { l: base }, theirs: { l: theirs }, mine: { l: mine } })["l"] as unknown[];
}

describe("mergeStates", () => {
  it.prop([state, state])("keeps the change of one where the other has changed nothing", (base, changed) => {
    expect(mergeStates({ base, theirs: changed, mine: base })).toEqual(changed);
    expect(mergeStates({ base, theirs: base, mine: changed })).toEqual(changed);
  });

  it.prop([fc.array(small, { maxLength: 8 }), fc.array(small, { maxLength: 8 })])(
    "lists what makes the other one of it",
    (base, changed) => {
      const how = { recorded: null, merge: ({ mine }: { mine: unknown }) => mine, isCounted: () => false };

      expect(mergeLists({ base, theirs: base, mine: changed }, how)).toEqual(changed);
      expect(mergeLists({ base, theirs: changed, mine: base }, how)).toEqual(changed);
    },
  );

  it.prop([state, state, state])("of changes in different fields has no order", (base, left, right) => {
    const theirs = { own: base, left };
    const mine = { own: base, right };
    const before = { own: base };

    const merged = mergeStates({ base: before, theirs, mine });

    expect(merged).toEqual({ own: base, left, right });
    expect(mergeStates({ base: before, theirs: mine, mine: theirs })).toEqual(merged);
  });

  it.prop([names, names, names])("loses no field that one side has added or changed", (base, theirs, mine) => {
    const made = (keys: readonly string[], mark: string) => Object.fromEntries(keys.map((key) => [key, mark]));
    const merged = mergeStates({ base: made(base, "b"), theirs: made(theirs, "t"), mine: made(mine, "m") });

    expect(Object.keys(merged).toSorted()).toEqual([...new Set([...theirs, ...mine])].toSorted());
    expect(mine.every((key) => merged[key] === "m")).toBe(true);
  });

  it.prop([texts.filter(({ length }) => length > 0), names, names])(
    "has every text that one side has added to a list",
    (base, theirs, mine) => {
      const merged = mergedList(
        base,
        [...base, ...theirs.map((name) => `t${name}`)],
        [...mine.map((name) => `m${name}`), ...base],
      );

      expect(merged).toEqual([...mine.map((name) => `m${name}`), ...base, ...theirs.map((name) => `t${name}`)]);
    },
  );

  it.prop([names, names, names])(
    "has of different texts each that one has added, once, and none that one has removed",
    (base, theirs, mine) => {
      const merged = mergedList(base, theirs, mine);
      const isAdded = (item: Name) => !base.includes(item) && (theirs.includes(item) || mine.includes(item));
      const isRemoved = (item: Name) => base.includes(item) && !(theirs.includes(item) && mine.includes(item));

      for (const item of letters) {
        if (isAdded(item)) expect(countOf(merged, item)).toBeGreaterThanOrEqual(1);
        if (isRemoved(item)) expect(countOf(merged, item)).toBe(0);
        if (base.includes(item) && !isRemoved(item)) expect(countOf(merged, item)).toBe(1);
      }
    },
  );

  it.prop([texts, inserts, inserts])(
    "has as many of each text as was there and as both have added",
    (base, left, right) => {
      const merged = mergedList(base, inserted(base, left), inserted(base, right));
      const all = [...base, ...left.map(({ text }) => text), ...right.map(({ text }) => text)];

      expect(merged.toSorted()).toEqual(all.toSorted());
    },
  );

  it.prop([texts, fc.infiniteStream(fc.nat()), texts])(
    "keeps all that was added to a list in a new order",
    (base, order, added) => {
      const shuffled = base.map((text) => ({ text, at: order.next().value })).toSorted((a, b) => a.at - b.at);

      const merged = mergedList(
        base,
        [...base, ...added],
        shuffled.map(({ text }) => text),
      );

      expect(merged.toSorted()).toEqual([...base, ...added].toSorted());
    },
  );

  it.prop([texts, texts, texts])("of two lists of any kind has no item that neither has", (base, theirs, mine) => {
    for (const item of mergedList(base, theirs, mine))
      expect(([...theirs, ...mine] as unknown[]).includes(item)).toBe(true);
  });

  it.prop([fc.integer(), fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 9 })])(
    "of amounts is their sum, whatever their order",
    (start, amounts) => {
      const base = { n: start };
      const add = (theirs: JsonObject, amount: number) =>
        mergeStates({ base, theirs, mine: { n: start + amount }, counted: { '["n"]': true } });
      const sum = start + amounts.reduce((all, amount) => all + amount, 0);

      expect(amounts.reduce(add, base as JsonObject)).toEqual({ n: sum });
      expect(amounts.toReversed().reduce(add, base as JsonObject)).toEqual({ n: sum });
    },
  );
});
