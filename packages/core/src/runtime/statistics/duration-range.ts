/**
 * Durations as ranges of a logarithmic scale, eight to a doubling: counts of them can be added up, and a quantile read from
 * them is at most 5 percent off.
 *
 * @module
 */

/** Ranges from one duration to its double. */
const PER_DOUBLING = 8;

/** Number of the range of a duration. 0 for less than a millisecond. */
export function durationRange(durationMs: number): number {
  return durationMs < 1 ? 0 : 1 + Math.floor(PER_DOUBLING * Math.log2(durationMs));
}

/** The middle of a range, in milliseconds. */
export function rangeMs(range: number): number {
  return range === 0 ? 0 : Math.round(2 ** ((range - 0.5) / PER_DOUBLING));
}

/** Counts by range. */
export type RangeCounts = ReadonlyMap<number, number>;

/** The duration that this share of all does not exceed, in milliseconds; `null` without any. @param share From 0 to 1. */
export function quantileMs(counts: RangeCounts, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const range of [...counts.keys()].sort((one, other) => one - other)) {
    below += counts.get(range) ?? 0;
    if (below >= share * total) return rangeMs(range);
  }
  return null;
}
