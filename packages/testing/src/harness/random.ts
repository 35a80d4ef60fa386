/** Random numbers that depend only on the seed, on every machine. */
export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** A number of at least 0 and below 1. */
  unit(): number;
  /** A copy of the list in another order. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** The generator mulberry32. It uses only integers, so that no machine rounds differently. */
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
    unit: () => below(2 ** 32) / 2 ** 32,
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
