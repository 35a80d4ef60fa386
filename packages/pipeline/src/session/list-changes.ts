/**
 * The changes of one side to a list: what became of each original item, and which items were inserted between them.
 *
 * @module
 */
import { isContainer, isObject, sameJson, textOf } from "./json.js";
import { type Hunk, hunksOf, type ListTexts } from "./list-hunks.js";

export type ItemFate =
  | { readonly status: "kept" | "removed" | "moved" }
  | { readonly status: "edited"; readonly value: unknown };

/** An inserted item. `from` is the old index of an item that was moved, and `null` for a new one. */
export interface PutItem {
  readonly value: unknown;
  readonly from: number | null;
}

export interface ListChanges {
  /** Fates of the original items, by old index. */
  readonly fates: readonly ItemFate[];
  /** Inserted items by the old index before which they stand; the last entry is for the end of the list. */
  readonly put: readonly (readonly PutItem[])[];
}

interface Sides {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  /** Tells whether the item at this old index, or a number in it, was counted: then it is still the same item. */
  readonly isCounted: (index: number) => boolean;
}

export function listChanges(sides: Sides): ListChanges {
  const { before, after } = sides;
  const texts = { before: before.map(textOf), after: after.map(textOf) };
  const hunks = hunksOf(texts);
  const moves = movesIn(hunks, texts);
  const fates: ItemFate[] = before.map(() => ({ status: "kept" }));
  const put: PutItem[][] = Array.from({ length: before.length + 1 }, () => []);
  for (const hunk of hunks) {
    for (const index of hunk.removed) fates[index] = { status: moves.left.has(index) ? "moved" : "removed" };
    const edited = versionsIn(hunk, sides, moves);
    let place = hunk.removed[0] ?? hunk.end;
    for (const index of hunk.added) {
      const value = after[index];
      const old = edited.get(index);
      if (old === undefined) put[place]?.push({ value, from: moves.come.get(index) ?? null });
      else {
        fates[old] = { status: "edited", value };
        place = old + 1;
      }
    }
  }
  return { fates, put };
}

interface Moves {
  /** Old indexes of items that have moved away. */
  readonly left: ReadonlySet<number>;
  /** Old indexes of moved items, by new index. */
  readonly come: ReadonlyMap<number, number>;
}

/** Finds items that were removed at one index and added at another. */
function movesIn(hunks: readonly Hunk[], { before, after }: ListTexts): Moves {
  const removed = new Map<string, number[]>();
  for (const index of hunks.flatMap((hunk) => hunk.removed)) {
    const text = before[index] as string;
    const same = removed.get(text);
    if (same === undefined) removed.set(text, [index]);
    else same.push(index);
  }
  const come = new Map<number, number>();
  for (const index of hunks.flatMap((hunk) => hunk.added)) {
    const from = removed.get(after[index] as string)?.shift();
    if (from !== undefined) come.set(index, from);
  }
  return { left: new Set(come.values()), come };
}

/** Finds items that are new versions of original ones: old indexes by new index. */
function versionsIn({ removed, added }: Hunk, sides: Sides, { left, come }: Moves): Map<number, number> {
  const gone = removed.filter((index) => !left.has(index));
  const fresh = added.filter((index) => !come.has(index));
  const isPaired = gone.length === fresh.length;
  const versions = new Map<number, number>();
  let next = 0;
  for (const [position, index] of fresh.entries()) {
    const value = sides.after[index];
    const at = isPaired ? position : gone.findIndex((old, k) => k >= next && isVersion(sides, old, value));
    const old = gone[at];
    if (old === undefined || (isPaired && !isInPlace(sides, old, value))) continue;
    versions.set(index, old);
    next = at + 1;
  }
  return versions;
}

/** A text or number that replaces another one is an edit; an object is one when it is still the same item. */
function isInPlace(sides: Sides, old: number, value: unknown): boolean {
  return !(isContainer(sides.before[old]) && isContainer(value)) || isVersion(sides, old, value);
}

/** Tells whether `value` is a version of the item: it has the same id, and an equal field or a count of this run. */
function isVersion({ before, isCounted }: Sides, old: number, value: unknown): boolean {
  const item = before[old];
  if (Array.isArray(item) && Array.isArray(value)) return true;
  if (!isObject(item) || !isObject(value)) return typeof value === "number" && isCounted(old);
  if (!sameJson(item["id"], value["id"])) return false;
  return (
    isCounted(old) || Object.keys(item).some((key) => Object.hasOwn(value, key) && sameJson(item[key], value[key]))
  );
}
