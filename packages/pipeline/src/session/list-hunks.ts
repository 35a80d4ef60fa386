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

/** With more items than these added or removed, order counts no more: see {@link bagHunks}. */
export const MAX_EDITS = 1_000;

export function hunksOf(texts: ListTexts): Hunk[] {
  const found = shortestHunks(texts);
  return found === null ? bagHunks(texts) : (hunksInPlace(texts, found) ?? found);
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

/**
 * The same where every item has stayed in its place, if that is no longer: `[0, 0]` to `[1, 0]` has changed the first one, and not
 * added one in front and removed the last. Null where items have moved.
 */
function hunksInPlace({ before, after }: ListTexts, found: readonly Hunk[]): Hunk[] | null {
  if (before.length !== after.length) return null;
  const changed = [...before.keys()].filter((index) => before[index] !== after[index]);
  const old = new Set(changed.map((index) => before[index]));
  const isMoved = changed.some((index) => old.has(after[index] as string));
  const removed = found.reduce((sum, hunk) => sum + hunk.removed.length, 0);
  if (isMoved || changed.length > removed) return null;
  return changed.map((index) => ({ removed: [index], end: index + 1, added: [index] }));
}

/** What is in one and not in the other, wherever it is. */
function bagHunks({ before, after }: ListTexts): Hunk[] {
  const gone = without(before, after).map((index) => ({ removed: [index], end: index + 1, added: [] }));
  return [...gone, { removed: [], end: before.length, added: without(after, before) }];
}

function without(texts: readonly string[], others: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...texts.keys()].filter((index) => {
    const left = counts.get(texts[index] as string) ?? 0;
    counts.set(texts[index] as string, left - 1);
    return left <= 0;
  });
}
