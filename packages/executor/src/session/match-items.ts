/**
 * Finds the items of one list in a later one: by their `id`, as equal values, and otherwise by their places.
 *
 * @module
 */
import { isContainer, isObject, sameJson, sortedJson } from "./json.js";

/** Index of an item that was not there before. */
export const NEW = -1;

export interface ListsToMatch {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  /** Returns whether the item at this old index, or a number in it, was counted: then it is still the same item. */
  readonly isCounted?: (index: number) => boolean;
}

/** Returns the old index of each item of the later list, or {@link NEW}. */
export function matchItems(lists: ListsToMatch): number[] {
  const matching = new Matching(lists);
  matching.matchEnds();
  if (!matching.matchInPlace()) {
    matching.matchEqual("in order");
    matching.matchEqual("anywhere");
  }
  matching.matchVersions();
  return matching.origins;
}

/** Completes recorded origins by the objects that were taken out of the list and put into it again. */
export function matchMoved(lists: ListsToMatch, recorded: readonly number[]): number[] {
  const matching = new Matching(lists, [...recorded]);
  matching.matchEqual("anywhere", isContainer);
  return matching.origins;
}

class Matching {
  readonly origins: number[];
  readonly #before: readonly unknown[];
  readonly #after: readonly unknown[];
  readonly #isCounted: (index: number) => boolean;
  /** Old indexes of items that are found. */
  readonly #found: Set<number>;

  constructor({ before, after, isCounted = () => false }: ListsToMatch, origins: number[] = after.map(() => NEW)) {
    this.#before = before;
    this.#after = after;
    this.#isCounted = isCounted;
    this.origins = origins;
    this.#found = new Set(origins.filter((origin) => origin !== NEW));
  }

  /** Matches the common beginning and the common end. */
  matchEnds(): void {
    const [before, after] = [this.#before, this.#after];
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    for (; start < shorter && sameJson(before[start], after[start]); start++) this.#match(start, start);
    for (let end = 1; end <= shorter - start && sameJson(before.at(-end), after.at(-end)); end++)
      this.#match(after.length - end, before.length - end);
  }

  /**
   * Matches what has stayed at its index, in lists of the same length whose other items are all edited: from `[0, 0]` to
   * `[1, 0]` the first item has changed; none was added in front and removed at the end.
   *
   * @returns `false` when items have moved: then nothing is matched.
   */
  matchInPlace(): boolean {
    if (this.#before.length !== this.#after.length) return false;
    const open = this.#open().map((index) => ({
      index,
      old: keyOf(this.#before[index]),
      now: keyOf(this.#after[index]),
    }));
    const gone = new Set(open.filter(({ old, now }) => old !== now).map(({ old }) => old));
    if (open.some(({ old, now }) => old !== now && gone.has(now))) return false;
    for (const { index, old, now } of open) if (old === now) this.#match(index, index);
    return true;
  }

  /** Matches items with the same `id`, and equal items without one. */
  matchEqual(where: "in order" | "anywhere", isMeant: (item: unknown) => boolean = () => true): void {
    const open = this.#open().filter((index) => isMeant(this.#after[index]));
    if (open.length === 0) return;
    const places = new Map<string, number[]>();
    for (let old = this.#before.length - 1; old >= 0; old--) {
      if (this.#found.has(old)) continue;
      const key = keyOf(this.#before[old]);
      const known = places.get(key);
      if (known === undefined) places.set(key, [old]);
      else known.push(old);
    }
    let last = NEW;
    for (const index of open) {
      const known = places.get(keyOf(this.#after[index])) ?? [];
      if (where === "in order") while ((known.at(-1) ?? last) < last) known.pop();
      const old = known.pop();
      if (old === undefined) continue;
      this.#match(index, old);
      last = old;
    }
  }

  /** Matches items with their new versions, which are between the same neighbours. */
  matchVersions(): void {
    const { origins } = this;
    for (let start = 0; start < origins.length; start++) {
      if (origins[start] !== NEW) continue;
      let end = start;
      while (origins[end] === NEW) end++;
      this.#matchBetween(start, end);
      start = end;
    }
  }

  #matchBetween(start: number, end: number): void {
    const first = (this.origins[start - 1] ?? NEW) + 1;
    const last = this.origins[end] ?? this.#before.length;
    const gone: number[] = [];
    for (let old = first; old < last; old++) if (!this.#found.has(old)) gone.push(old);
    const isPaired = gone.length === end - start;
    let next = 0;
    for (let index = start; index < end; index++) {
      const at = isPaired ? index - start : gone.findIndex((old, k) => k >= next && this.#isVersion(old, index));
      const old = gone[at];
      if (old === undefined || (isPaired && !this.#isInPlace(old, index))) continue;
      this.#match(index, old);
      next = at + 1;
    }
  }

  /** A text or number that replaces another one is an edit; an object is one when it is still the same item. */
  #isInPlace(old: number, index: number): boolean {
    return !(isContainer(this.#before[old]) && isContainer(this.#after[index])) || this.#isVersion(old, index);
  }

  /** Returns whether the value is a version of the item: it has the same id, and an equal field or a count of this run. */
  #isVersion(old: number, index: number): boolean {
    const [item, value] = [this.#before[old], this.#after[index]];
    if (Array.isArray(item) && Array.isArray(value)) return true;
    if (!isObject(item) || !isObject(value)) return typeof value === "number" && this.#isCounted(old);
    if (!sameJson(item["id"], value["id"])) return false;
    return (
      this.#isCounted(old) ||
      Object.keys(item).some((key) => Object.hasOwn(value, key) && sameJson(item[key], value[key]))
    );
  }

  /** Indexes in the later list of items that are not found. */
  #open(): number[] {
    return [...this.origins.keys()].filter((index) => this.origins[index] === NEW);
  }

  #match(index: number, old: number): void {
    this.origins[index] = old;
    this.#found.add(old);
  }
}

/** Equal for versions of one item: by the `id` of an object, otherwise by its value. */
function keyOf(item: unknown): string {
  const id = isObject(item) ? item["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? `id ${sortedJson(id)}` : sortedJson(item);
}
