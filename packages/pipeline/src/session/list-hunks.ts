/** Where two lists differ. */
import { diffArrays } from "diff";

/** Items that were removed one after the other, and those that are now in their place. */
export interface Hunk {
  /** Places in the list before, and the place that follows. */
  readonly removed: readonly number[];
  readonly end: number;
  /** Places in the list after. */
  readonly added: readonly number[];
}

/** The items of both lists as text. */
export interface ListTexts {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Of more items than these that were added or removed, lists are compared place by place. */
const MAX_EDITS = 1_000;

export function hunksOf(texts: ListTexts): Hunk[] {
  const inPlace = hunksInPlace(texts);
  const shortest = shortestHunks(texts);
  return shortest === null || (isOnlyEdited(texts, inPlace) && inPlace.length <= removedIn(shortest))
    ? inPlace
    : shortest;
}

/** Null: there are too many. */
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

/** What was at each place, and what is there now; last of all what one of the lists has more. */
function hunksInPlace({ before, after }: ListTexts): Hunk[] {
  const shorter = Math.min(before.length, after.length);
  const places = [...before.keys()].filter((index) => index < shorter && before[index] !== after[index]);
  const hunks = places.map((index) => ({ removed: [index], end: index + 1, added: [index] }));
  if (before.length === after.length) return hunks;
  const restOf = (list: readonly string[]): number[] => [...list.keys()].slice(shorter);
  return [...hunks, { removed: restOf(before), end: before.length, added: restOf(after) }];
}

/**
 * All items have stayed in their places, and none has moved. Of two ways to tell the same this is the better one: `[0, 0]` to
 * `[1, 0]` has changed the first one, and not added one in front and removed the last.
 */
function isOnlyEdited({ before, after }: ListTexts, inPlace: readonly Hunk[]): boolean {
  if (before.length !== after.length) return false;
  const old = new Set(inPlace.map(({ removed }) => before[removed[0] as number]));
  return !inPlace.some(({ added }) => old.has(after[added[0] as number] as string));
}

function removedIn(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { removed }) => sum + removed.length, 0);
}
