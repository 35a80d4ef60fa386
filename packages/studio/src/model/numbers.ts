/** Lookups in lists of tick numbers, which only grow. */

/** Index of the last element whose number is at most `most`; -1 if there is none. */
export function lastUpTo<Item>(list: readonly Item[], most: number, numberOf: (item: Item) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberOf(list[middle] as Item) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
