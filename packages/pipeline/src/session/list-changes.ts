/**
 * The changes of one side to a list: what became of each original item, and which items were inserted between them.
 *
 * @module
 */

import { diffArrays } from "diff";
import { isContainer, isObject, sameJson, textOf } from "./json.js";

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

/** Items that were removed next to each other, and those that replace them. */
interface Hunk {
  /** Indexes in the old list, and the index that follows. */
  readonly removed: readonly number[];
  readonly end: number;
  /** Indexes in the new list. */
  readonly added: readonly number[];
}

/** The items of both lists as text. */
interface ListTexts {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** With more added or removed items than this, lists are compared index by index. */
const MAX_EDITS = 1_000;

/** Finds where the lists differ. */
function hunksOf(texts: ListTexts): Hunk[] {
  const inPlace = hunksInPlace(texts);
  const shortest = shortestHunks(texts);
  return shortest === null || (isOnlyEdited(texts, inPlace) && inPlace.length <= removedIn(shortest))
    ? inPlace
    : shortest;
}

/** `null` when there are too many edits. */
function shortestHunks({ before, after }: ListTexts): Hunk[] | null {
  const parts = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (parts === undefined) return null;
  const hunks: Hunk[] = [];
  let [from, to] = [0, 0];
  let [removed, added]: [number[], number[]] = [[], []];
  const flush = (): void => {
    if (removed.length + added.length > 0) hunks.push({ removed, end: from, added });
    [removed, added] = [[], []];
  };
  for (const part of parts) {
    if (part.removed) for (const _ of part.value) removed.push(from++);
    else if (part.added) for (const _ of part.value) added.push(to++);
    else {
      flush();
      from += part.value.length;
      to += part.value.length;
    }
  }
  flush();
  return hunks;
}

/** Compares the items at each index; the last hunk has the rest of the longer list. */
function hunksInPlace({ before, after }: ListTexts): Hunk[] {
  const shorter = Math.min(before.length, after.length);
  const places = [...before.keys()].filter((index) => index < shorter && before[index] !== after[index]);
  const hunks = places.map((index) => ({ removed: [index], end: index + 1, added: [index] }));
  if (before.length === after.length) return hunks;
  const restOf = (list: readonly string[]): number[] => [...list.keys()].slice(shorter);
  return [...hunks, { removed: restOf(before), end: before.length, added: restOf(after) }];
}

/**
 * Tells whether all items have stayed in place, and none has moved. Of two equivalent descriptions this is the better
 * one: from `[0, 0]` to `[1, 0]` the first item has changed; none was added in front and removed at the end.
 */
function isOnlyEdited({ before, after }: ListTexts, inPlace: readonly Hunk[]): boolean {
  if (before.length !== after.length) return false;
  const old = new Set(inPlace.map(({ removed }) => before[removed[0] as number]));
  return !inPlace.some(({ added }) => old.has(after[added[0] as number] as string));
}

function removedIn(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { removed }) => sum + removed.length, 0);
}
