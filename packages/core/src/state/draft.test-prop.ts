import { fc, test } from "@fast-check/vitest";
import * as immer from "immer";
import { describe, expect } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { inOrder, record, replayed, scramble } from "../../test/support/random-states.js";
import { freezeState } from "../value/freeze.js";
import { createDraft } from "./draft.js";
import { plainOf } from "./finish-draft.js";
import { prepareEdit } from "./prepare-change.js";

immer.enableMapSet();
const rules = { schema: null, types: [] };

/** As far as immer sees a difference: to it, 0 in the place of -0 is none. */
function unsigned(part: unknown): unknown {
  return Array.isArray(part) ? part.map(unsigned) : Object.is(part, -0) ? 0 : part;
}

/** Where the oracle shares a part with the state before, the other state does as well. */
function sharesAsMuch(before: unknown, oracle: unknown, after: unknown): boolean {
  if (typeof before !== "object" || before === null) return true;
  if (before === oracle) return before === after;
  const [old, wanted, found] = [before, oracle, after].map((part) =>
    part instanceof Map ? part : new Map(Object.entries(part ?? {})),
  ) as [Map<unknown, unknown>, Map<unknown, unknown>, Map<unknown, unknown>];
  return [...old].every(([key, part]) => !wanted.has(key) || sharesAsMuch(part, wanted.get(key), found.get(key)));
}

function isFrozenThrough(part: unknown): boolean {
  if (typeof part !== "object" || part === null || part instanceof Date) return true;
  const inner = part instanceof Map ? [...part].flat() : part instanceof Set ? [...part] : Object.values(part);
  return Object.isFrozen(part) && inner.every(isFrozenThrough);
}

/** 0 writes a key, 1 removes it, 2 removes it and adds it again, 3 does nothing. */
const loopWrite = fc.tuple(fc.nat(3), fc.constantFrom("a", "b", "c", "d", "e", "f"));

describe("drafts", () => {
  test.prop([record, fc.array(fc.nat(100_000), { maxLength: 16 })], { numRuns: casesOf(1500) })(
    "return the state that immer returns, share as much, and leave the one before as it was",
    (before, choices) => {
      freezeState(before);
      const copy = structuredClone(before);
      const theirs = immer.createDraft(before);
      scramble(theirs, choices);
      const oracle = immer.finishDraft(theirs);
      const draft = createDraft(before) as Record<string, unknown>;
      scramble(draft, choices);
      const plain = plainOf(draft);
      const { next } = prepareEdit(before, draft, rules);

      expect(unsigned(inOrder(next))).toStrictEqual(unsigned(inOrder(oracle)));
      expect(inOrder(plain)).toStrictEqual(inOrder(next));
      expect(sharesAsMuch(before, oracle, next)).toBe(true);
      expect(isFrozenThrough(next)).toBe(true);
      expect(inOrder(before)).toStrictEqual(inOrder(copy));
    },
  );

  test.prop([record, fc.array(fc.nat(100_000), { maxLength: 16 })], { numRuns: casesOf(1500) })(
    "write patches that lead from the state before to the one after, order included, through text",
    (before, choices) => {
      freezeState(before);
      const draft = createDraft(before) as Record<string, unknown>;
      scramble(draft, choices);
      const change = prepareEdit(before, draft, rules);
      const patches = "patches" in change ? change.patches : [];

      expect(inOrder("whole" in change ? change.next : replayed(before, patches))).toStrictEqual(inOrder(change.next));
    },
  );

  test.prop([fc.array(fc.tuple(fc.nat(3), fc.nat(40), fc.nat(6), fc.nat(6)), { maxLength: 90 })])(
    "of a long list do what the list does",
    (splices) => {
      const items = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? { n } : n));
      const before = freezeState({ list: structuredClone(items) });
      const draft = createDraft(before) as { list: unknown[] };
      for (const [kind, at, remove, add] of splices) {
        const fresh = Array.from({ length: add }, (_, n) => n * 100);
        for (const list of [items, draft.list]) {
          const item = list[at];
          if (kind < 2) list.splice(at, remove, ...fresh);
          else if (kind === 2 && typeof item === "object") (item as { n: number }).n = remove;
          else if (at < list.length) list[at] = add;
        }
      }
      const { next, ...change } = prepareEdit(before, draft, rules);

      expect(next).toStrictEqual({ list: items });
      expect("patches" in change ? replayed(before, change.patches) : next).toStrictEqual({ list: items });
    },
  );

  test.prop([fc.array(move, { maxLength: 12 })], { numRuns: casesOf(3000) })(
    "of a list whose items are at several places are written as the list itself is",
    (moves) => {
      const items = Array.from({ length: 6 }, (_, n) => ({ n }));
      const before = freezeState({ list: structuredClone(items) });
      const draft = createDraft(before) as { list: { n: number }[] };
      for (const [index, given] of moves.entries()) for (const list of [items, draft.list]) moveIn(list, given, index);
      const { next, ...change } = prepareEdit(before, draft, rules);

      expect(next).toStrictEqual({ list: items });
      expect("patches" in change ? replayed(before, change.patches) : next).toStrictEqual({ list: items });
    },
  );

  test.prop([fc.array(fc.array(loopWrite, { maxLength: 6 }), { maxLength: 3 })], { numRuns: casesOf(3000) })(
    "of a Map and a Set are seen by a loop that writes to them as the Map and the Set themselves are",
    (loops) => {
      const keys = ["a", "b", "c", "d"];
      const before = freezeState({ map: new Map(keys.map((key, n) => [key, n])), set: new Set(keys) });
      const draft = createDraft(before) as unknown as Looped;
      const plain: Looped = { map: new Map(before.map), set: new Set(before.set) };

      expect(loops.map((writes) => seenIn(draft, writes))).toStrictEqual(loops.map((writes) => seenIn(plain, writes)));
      const { next, ...change } = prepareEdit(before, draft, rules);
      expect(inOrder(next)).toStrictEqual(inOrder(plain));
      expect(inOrder("patches" in change ? replayed(before, change.patches) : next)).toStrictEqual(inOrder(plain));
    },
  );
});

/** One call of a list: its kind, and three places, some of them outside of the list. */
const move = fc.tuple(fc.nat(6), fc.integer({ min: -8, max: 8 }), fc.integer({ min: -8, max: 8 }), fc.nat(8));
type Move = typeof move extends fc.Arbitrary<infer Given> ? Given : never;

function moveIn(list: { n: number }[], [kind, to, from, count]: Move, value: number): void {
  const item = list.at(from);
  if (kind === 0) list.copyWithin(to, from);
  else if (kind === 1) list.copyWithin(to, from, count);
  else if (kind === 2) list.reverse();
  else if (kind === 3 && item) list.fill(item, to, count);
  else if (kind === 4) list.push(...list.splice(from, count));
  else if (kind === 5 && item && list.at(to)) list[(to + list.length) % list.length] = item;
  else if (item) item.n = 100 + value;
}

interface Looped {
  readonly map: Map<string, number>;
  readonly set: Set<string>;
}

/** What a loop sees while it writes: in its first turns, one write each. A loop that adds without an end is left after 20. */
function seenIn({ map, set }: Looped, writes: readonly (readonly [kind: number, key: string])[]): unknown[] {
  const seen: unknown[] = [];
  for (const entry of map) {
    const [kind, key] = writes[seen.length] ?? [3, ""];
    seen.push(entry);
    if (kind === 0) map.set(key, seen.length);
    else if (kind < 3) map.delete(key);
    if (kind === 2) map.set(key, -1);
    if (seen.length > 20) break;
  }
  const items: string[] = [];
  for (const item of set) {
    const [kind, key] = writes[items.length] ?? [3, ""];
    items.push(item);
    if (kind === 0) set.add(key);
    else if (kind < 3) set.delete(key);
    if (kind === 2) set.add(key);
    if (items.length > 20) break;
  }
  return [...seen, ...items, map.size, set.size];
}
