/** Chance that is the same on every machine: a function of the seed. */
export interface Random {
  /** An integer from 0 up, below `limit`. */
  below(limit: number): number;
  /** A new array of the same items in another order. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** The generator mulberry32: integers only, so that no machine rounds differently. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % limit;
  };
  return {
    below,
    shuffle(items) {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never];
      }
      return shuffled;
    },
  };
}
