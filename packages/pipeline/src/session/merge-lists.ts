/**
 * Merges lists that two runs have changed, item by item.
 *
 * Items that either side has added, removed, moved or edited are so in the merged list. Items that both have inserted
 * at one place are there in the order of their commits. An item that one side has edited stays, even when the other has
 * removed it. When both have moved an item, the later commit counts. When both have edited an item, objects and lists
 * are merged; of other values both stay.
 *
 * @module
 */
import { isObject, sameJson } from "./json.js";
import { type ItemFate, type ListChanges, listChanges, type PutItem } from "./list-changes.js";

/** One value in three versions: what both runs began with, what is stored now, and what the later commit brings. */
export interface Versions<Value = unknown> {
  readonly base: Value;
  readonly theirs: Value;
  readonly mine: Value;
}

export interface ItemMerge {
  /** Merges two versions of one item. */
  merge(versions: Versions, index: number): unknown;
  /** Tells whether this run has counted the item at this index, or a number in it. */
  isCounted(index: number): boolean;
}

type Side = "theirs" | "mine";

/** Keeps the common beginning and end of all versions, and merges the rest. */
export function mergeLists(lists: Versions<readonly unknown[]>, how: ItemMerge): unknown[] {
  const { base, theirs, mine } = lists;
  const shortest = Math.min(base.length, theirs.length, mine.length);
  const isSame = (place: number): boolean =>
    sameJson(base.at(place), theirs.at(place)) && sameJson(base.at(place), mine.at(place));
  let start = 0;
  while (start < shortest && isSame(start)) start++;
  let end = 0;
  while (end < shortest - start && isSame(-1 - end)) end++;
  const middleOf = (list: readonly unknown[]) => list.slice(start, list.length - end);
  const middle = mergeMiddle(
    { base: middleOf(base), theirs: middleOf(theirs), mine: middleOf(mine) },
    { merge: (item, index) => how.merge(item, start + index), isCounted: (index) => how.isCounted(start + index) },
  );
  return [...base.slice(0, start), ...middle, ...base.slice(base.length - end)];
}

function mergeMiddle({ base, theirs, mine }: Versions<readonly unknown[]>, how: ItemMerge): unknown[] {
  const isCounted = (index: number): boolean => how.isCounted(index);
  const sides = {
    theirs: listChanges({ before: base, after: theirs, isCounted }),
    mine: listChanges({ before: base, after: mine, isCounted }),
  };
  const items = new Items(base, sides, how);
  const merged: unknown[] = [];
  for (let place = 0; place <= base.length; place++) {
    for (const side of ["theirs", "mine"] as const)
      for (const put of sides[side].put[place] ?? []) merged.push(...items.put(put, side));
    if (place < base.length && items.sideOf(place) === null) merged.push(...items.at(place));
  }
  return merged;
}

class Items {
  readonly #base: readonly unknown[];
  readonly #sides: Readonly<Record<Side, ListChanges>>;
  readonly #how: ItemMerge;

  constructor(base: readonly unknown[], sides: Readonly<Record<Side, ListChanges>>, how: ItemMerge) {
    this.#base = base;
    this.#sides = sides;
    this.#how = how;
  }

  put({ value, from }: PutItem, side: Side): unknown[] {
    if (from === null) return [value];
    return this.sideOf(from) === side ? this.at(from) : [];
  }

  /** Side that decides the item's place; `null` when the item has not moved. */
  sideOf(index: number): Side | null {
    if (this.#fate("mine", index).status === "moved") return "mine";
    return this.#fate("theirs", index).status === "moved" ? "theirs" : null;
  }

  /** The item after the merge: none, one, or both versions. */
  at(index: number): unknown[] {
    const [theirs, mine] = [this.#fate("theirs", index), this.#fate("mine", index)];
    if (theirs.status === "edited" && mine.status === "edited")
      return this.#bothOf({ base: this.#base[index], theirs: theirs.value, mine: mine.value }, index);
    if (theirs.status === "edited") return [theirs.value];
    if (mine.status === "edited") return [mine.value];
    return theirs.status === "removed" || mine.status === "removed" ? [] : [this.#base[index]];
  }

  #bothOf(versions: Versions, index: number): unknown[] {
    const { theirs, mine } = versions;
    const isOne =
      (isObject(theirs) && isObject(mine)) ||
      (Array.isArray(theirs) && Array.isArray(mine)) ||
      (typeof theirs === "number" && typeof mine === "number" && this.#how.isCounted(index));
    if (isOne) return [this.#how.merge(versions, index)];
    return sameJson(theirs, mine) ? [mine] : [theirs, mine];
  }

  #fate(side: Side, index: number): ItemFate {
    return this.#sides[side].fates[index] as ItemFate;
  }
}
