/**
 * Merges lists that two runs have changed, item by item.
 *
 * Of a run's own list it is recorded where its items were at the start; those of the other list are found by comparing.
 *
 * Items that either side has added, removed, moved or edited are so in the merged list. Items that both have inserted
 * at one place are there in the order of their commits. An item that one side has edited stays, even when the other has
 * removed it. When both have moved an item, the later commit counts. When both have edited an item, objects and lists
 * are merged; of other values both stay.
 *
 * @module
 */
import { isObject, sameJson } from "./json.js";
import { matchItems, matchMoved, NEW } from "./match-items.js";

/** One value in three versions: the common start, the stored value, and that of the later commit. */
export interface Versions<Value = unknown> {
  readonly base: Value;
  readonly theirs: Value;
  readonly mine: Value;
}

export interface ItemMerge {
  /** Where the items of the later run's list were at the start. `null`: it is compared. */
  readonly recorded: readonly number[] | null;
  /**
   * Merges two versions of one item.
   *
   * @param isRecorded `false`: the later run has put the item in again, and what it has done to it is not known.
   */
  merge(versions: Versions, index: number, isRecorded: boolean): unknown;
  /** Returns whether this run has counted the item at this index, or a number in it. */
  isCounted(index: number): boolean;
}

export function mergeLists({ base, theirs, mine }: Versions<readonly unknown[]>, how: ItemMerge): unknown[] {
  const originsOf = (after: readonly unknown[]): number[] =>
    matchItems({ before: base, after, isCounted: (index) => how.isCounted(index) });
  const recorded = how.recorded?.length === mine.length ? how.recorded : null;
  const mineAt = recorded === null ? originsOf(mine) : matchMoved({ before: base, after: mine }, recorded);
  const sides = { theirs: sideOf(theirs, originsOf(theirs)), mine: sideOf(mine, mineAt), recorded: new Set(recorded) };
  const merge = new ListMerge(base, sides, how);
  const merged: unknown[][] = [];
  for (let place = 0; place <= base.length; place++) {
    merged.push(merge.putAt(place, "theirs"), merge.putAt(place, "mine"));
    if (place < base.length && merge.moverOf(place) === null) merged.push(merge.item(place));
  }
  return merged.flat();
}

type Side = "theirs" | "mine";

interface ListSide {
  readonly items: readonly unknown[];
  readonly origins: readonly number[];
  /** New indexes by old ones. */
  readonly indexes: ReadonlyMap<number, number>;
  /** Old indexes of items that have kept their order. */
  readonly steady: ReadonlySet<number>;
  /** New indexes of items that were added or moved, by the old index before which they are. */
  readonly put: ReadonlyMap<number, readonly number[]>;
}

interface Sides extends Readonly<Record<Side, ListSide>> {
  /** Old indexes of items that the later run has kept in its list all the time. */
  readonly recorded: ReadonlySet<number>;
}

function sideOf(items: readonly unknown[], origins: readonly number[]): ListSide {
  const indexes = new Map<number, number>();
  for (const [index, origin] of origins.entries()) if (origin !== NEW) indexes.set(origin, index);
  const steady = longestRise(origins.filter((origin) => origin !== NEW));
  const put = new Map<number, number[]>();
  let place = 0;
  for (const [index, origin] of origins.entries()) {
    if (steady.has(origin)) place = origin + 1;
    else if (put.get(place)?.push(index) === undefined) put.set(place, [index]);
  }
  return { items, origins, indexes, steady, put };
}

/** The longest sequence of numbers, some left out, in which each is larger than the one before it. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  /** The smallest last number of a sequence, by its length. */
  const lasts: number[] = [];
  const before = new Map<number, number | undefined>();
  for (const number of numbers) {
    let [low, high] = [0, lasts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lasts[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    before.set(number, lasts[low - 1]);
    lasts[low] = number;
  }
  const rise = new Set<number>();
  for (let number = lasts.at(-1); number !== undefined; number = before.get(number)) rise.add(number);
  return rise;
}

class ListMerge {
  readonly #base: readonly unknown[];
  readonly #sides: Sides;
  readonly #how: ItemMerge;

  constructor(base: readonly unknown[], sides: Sides, how: ItemMerge) {
    this.#base = base;
    this.#sides = sides;
    this.#how = how;
  }

  /** Items that a side has added or moved to this place. */
  putAt(place: number, side: Side): unknown[] {
    const { items, origins, put } = this.#sides[side];
    return (put.get(place) ?? []).flatMap((index) => {
      const origin = origins[index] as number;
      if (origin === NEW) return [items[index]];
      return this.moverOf(origin) === side ? this.item(origin) : [];
    });
  }

  /** Side that decides the item's place; `null` when the item has not moved. */
  moverOf(origin: number): Side | null {
    const hasMoved = ({ indexes, steady }: ListSide): boolean => indexes.has(origin) && !steady.has(origin);
    if (hasMoved(this.#sides.mine)) return "mine";
    return hasMoved(this.#sides.theirs) ? "theirs" : null;
  }

  /** The item after the merge: none, one, or both versions. */
  item(origin: number): unknown[] {
    const base = this.#base[origin];
    const [theirs, mine] = [this.#versions("theirs", origin), this.#versions("mine", origin)];
    if (theirs.length === 0 || mine.length === 0) return [...theirs, ...mine].filter((value) => !sameJson(value, base));
    return this.#bothOf({ base, theirs: theirs[0], mine: mine[0] }, origin);
  }

  #bothOf(versions: Versions, origin: number): unknown[] {
    const { base, theirs, mine } = versions;
    if (sameJson(base, mine)) return [theirs];
    if (sameJson(base, theirs)) return [mine];
    const isOne =
      (isObject(theirs) && isObject(mine)) ||
      (Array.isArray(theirs) && Array.isArray(mine)) ||
      (typeof theirs === "number" && typeof mine === "number" && this.#how.isCounted(origin));
    if (isOne) return [this.#how.merge(versions, origin, this.#sides.recorded.has(origin))];
    return sameJson(theirs, mine) ? [mine] : [theirs, mine];
  }

  /** The item in the list of a side, where it is at most once. */
  #versions(side: Side, origin: number): readonly unknown[] {
    const { items, indexes } = this.#sides[side];
    const index = indexes.get(origin);
    return index === undefined ? [] : [items[index]];
  }
}
