/**
 * Random states and random edits of them, for the property tests of drafts and patches.
 *
 * @module
 */
import { fc } from "@fast-check/vitest";
import { decodeValue } from "../../src/event/event-codec.js";
import { applyPatches, type StatePatch } from "../../src/state/patches.js";
import { encodeValue } from "../../src/value/codec.js";

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
export const { value, record } = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
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
export function inOrder(part: unknown): unknown {
  if (part instanceof Map) return ["Map", ...[...part].map((entry) => entry.map(inOrder))];
  if (part instanceof Set) return ["Set", ...[...part].map(inOrder)];
  if (part instanceof Date || typeof part !== "object" || part === null) return part;
  return Array.isArray(part)
    ? part.map(inOrder)
    : ["record", ...Object.entries(part).map(([name, inner]) => [name, inOrder(inner)])];
}

/** What a replay does: patches as text, values decoded. */
export function replayed(before: unknown, patches: readonly StatePatch[]): unknown {
  const text = JSON.stringify(
    patches.map((patch) => ("value" in patch ? { ...patch, value: encodeValue(patch.value, "value") } : patch)),
  );
  const stored = JSON.parse(text) as StatePatch[];
  return applyPatches(
    before,
    stored.map((patch) => ("value" in patch ? { ...patch, value: decodeValue(patch.value, "value") } : patch)),
  );
}

/** Random edits of a draft, with parts that are moved, taken out, put in twice or wrapped in something new. */
export function scramble(draft: Record<string, unknown>, choices: readonly number[]): void {
  const seen: unknown[] = [draft];
  for (const [step, choice] of choices.entries()) {
    const place = seen[choice % seen.length];
    const other = seen[(choice >> 3) % seen.length];
    const name = ["a", "b", "c", "1", "new"][choice % 5] as string;
    // A part must not come to lie inside itself.
    const moves = step % 3 === 0 && typeof other === "object" && place === draft && other !== draft;
    const value = moves ? (choice % 2 === 0 ? other : { wrapped: [other] }) : step % 4 === 0 ? { n: step } : step;
    change(place, { choice: choice >> 2, name, value, step });
    const inner =
      place instanceof Map || place instanceof Set
        ? [...place.values()]
        : typeof place === "object" && place !== null
          ? Object.values(place)
          : [];
    seen.push(...inner.slice(0, 3));
  }
}

interface Change {
  readonly choice: number;
  readonly name: string;
  readonly value: unknown;
  readonly step: number;
}

function change(place: unknown, { choice, name, value, step }: Change): void {
  if (place instanceof Map) {
    if (choice % 3 === 0) place.delete([...place.keys()][0]);
    else if (choice % 7 === 0) place.clear();
    else place.set(name, value);
  } else if (place instanceof Set) {
    if (choice % 3 === 0) place.delete([...place][0]);
    else if (choice % 7 === 0) place.clear();
    else place.add(step);
  } else if (Array.isArray(place)) changeList(place, { choice, name, value, step });
  else if (typeof place === "object" && place !== null && !(place instanceof Date)) {
    const record = place as Record<string, unknown>;
    if (choice % 4 === 0) delete record[name];
    else record[name] = value;
  }
}

function changeList(list: unknown[], { choice, value, step }: Change): void {
  const at = list.length === 0 ? 0 : choice % list.length;
  const kinds: readonly (() => void)[] = [
    () => list.shift(),
    () => list.push(value),
    () => list.reverse(),
    () => list.splice(1, 1, step, value),
    () => list.splice(at, 2),
    () => void (list[at] = value),
    () => list.unshift(value, step),
    () => list.pop(),
    () => void (list.length = at),
    () => list.sort((left, right) => Number(typeof left === "number") - Number(typeof right === "number")),
    () => void list.push(...list.splice(at, 1)),
    () => list.splice(at, 0, value),
    () => list.fill(step, at, at + 2),
  ];
  kinds[choice % kinds.length]?.();
}
