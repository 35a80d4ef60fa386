import { fc, test } from "@fast-check/vitest";
import { createDraft, enableMapSet, finishDraft } from "immer";
import { describe, expect } from "vitest";
import { decodeValue, encodeValue } from "../value/codec.js";
import { applyPatches } from "./apply-change.js";
import { diffState } from "./diff-state.js";
import { freezeState } from "./freeze-state.js";

enableMapSet();

// Few keys and few values: parts of two states then often agree.
const key = fc.constantFrom("a", "b", "c", "1", "2");
const leaf = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom("", "x", "y".repeat(80)),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.constantFrom(-0, Number.NaN),
  fc.constantFrom(0, 1).map((ms) => new Date(ms)),
);
/** Not undefined: immer leaves a draft behind that it handed out for such a key. */
const mapKey = (other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(key, leaf, other).filter((name) => name !== undefined);
const { value, record } = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    tie("record"),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.array(fc.tuple(mapKey(tie("record")), tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(fc.oneof(leaf, tie("record")), { maxLength: 4 }).map((items) => new Set(items)),
  ),
  record: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
}));

/** Walks both in order: `toEqual` would not see the order of keys. */
function inOrder(part: unknown): unknown {
  if (part instanceof Map) return ["Map", ...[...part].map((entry) => entry.map(inOrder))];
  if (part instanceof Set) return ["Set", ...[...part].map(inOrder)];
  if (part instanceof Date || typeof part !== "object" || part === null) return part;
  return Array.isArray(part)
    ? part.map(inOrder)
    : ["record", ...Object.entries(part).map(([name, inner]) => [name, inOrder(inner)])];
}

/** What a replay does: patches as text, values decoded. */
function replay(before: unknown, after: unknown): unknown {
  const patches = diffState(before, after);
  if (patches === null) return after;
  const text = JSON.stringify(
    patches.map((patch) => ("value" in patch ? { ...patch, value: encodeValue(patch.value, "value") } : patch)),
  );
  const stored = JSON.parse(text) as typeof patches;
  return applyPatches(
    before,
    stored.map((patch) => ("value" in patch ? { ...patch, value: decodeValue(patch.value, "value") } : patch)),
  );
}

/** Draws random edits of a draft, moved and shared parts included. */
function scramble(draft: Record<string, unknown>, choices: readonly number[]): void {
  const seen: unknown[] = [draft];
  for (const [step, choice] of choices.entries()) {
    const place = seen[choice % seen.length];
    const other = seen[(choice >> 3) % seen.length];
    const name = ["a", "b", "c", "1", "new"][choice % 5] as string;
    // A part must not come to lie inside itself.
    const value = step % 3 === 0 && typeof other === "object" && place === draft && other !== draft ? other : step;
    if (place instanceof Map) choice % 3 === 0 ? place.delete([...place.keys()][0]) : place.set(name, step);
    else if (place instanceof Set) choice % 3 === 0 ? place.delete([...place][0]) : place.add(step);
    else if (Array.isArray(place))
      choice % 4 === 0
        ? place.shift()
        : choice % 4 === 1
          ? place.push(step)
          : choice % 4 === 2
            ? place.reverse()
            : place.splice(1, 1, step, step);
    else if (typeof place === "object" && place !== null && !(place instanceof Date)) {
      if (choice % 4 === 0) delete (place as Record<string, unknown>)[name];
      else (place as Record<string, unknown>)[name] = value;
    }
    const inner =
      place instanceof Map || place instanceof Set
        ? [...place.values()]
        : typeof place === "object" && place !== null
          ? Object.values(place)
          : [];
    seen.push(...inner.slice(0, 3));
  }
}

describe("diffState", () => {
  test.prop([record, record], { numRuns: 500 })(
    "patches lead from any state to any other, order included, through text",
    (before, after) => {
      freezeState(before);

      expect(inOrder(replay(before, after))).toStrictEqual(inOrder(after));
    },
  );

  test.prop([record, fc.array(fc.nat(1000), { maxLength: 12 })], { numRuns: 1000 })(
    "patches of an edited draft give the edited state",
    (before, choices) => {
      freezeState(before);
      const copy = structuredClone(before);
      const draft = createDraft(before);
      scramble(draft, choices);
      const after = finishDraft(draft);

      expect(inOrder(replay(before, after))).toStrictEqual(inOrder(after));
      expect(before).toStrictEqual(copy);
    },
  );

  test.prop([value])("a value does not differ from its copy", (given) => {
    // A Map or Set with objects in its keys has other keys in the copy; a Date has another identity.
    fc.pre(!/\[Map\]|\[Set\]|\[Date\]/.test(kinds(given)));

    expect(diffState({ given }, structuredClone({ given }))).toEqual([]);
  });
});

function kinds(part: unknown): string {
  if (part instanceof Map) return "[Map]";
  if (part instanceof Set) return "[Set]";
  if (part instanceof Date) return "[Date]";
  return typeof part === "object" && part !== null ? Object.values(part).map(kinds).join() : "";
}
