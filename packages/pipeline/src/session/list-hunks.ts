/** Finds where two lists differ. */
import { diffArrays } from "diff";

/** Items that were removed next to each other, and those that replace them. */
export interface Hunk {
  /** Indexes in the old list, and the index that follows. */
  readonly removed: readonly number[];
  readonly end: number;
  /** Indexes in the new list. */
  readonly added: readonly number[];
}

/** The items of both lists as text. */
export interface ListTexts {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** With more added or removed items than this, lists are compared index by index. */
const MAX_EDITS = 1_000;

export function hunksOf(texts: ListTexts): Hunk[] {
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
