/** When in a soak a run is started and gets its nudges, counted in kills: so that every kill finds runs in every phase. */
import { Random } from "./random.js";

export interface RunPlan {
  readonly n: number;
  readonly runId: string;
  /** Whether it is an order; else it is one of the other kind. */
  readonly isOrder: boolean;
  /** Nothing of it happens before so many kills. */
  readonly startAfter: number;
  readonly nudgeAfter: readonly [number, number];
}

export interface Scale {
  readonly seed: number;
  readonly runs: number;
  readonly kills: number;
  /** How many of the runs are of the other kind. */
  readonly others: number;
}

export function planOf({ seed, runs, kills, others }: Scale): RunPlan[] {
  const random = new Random(seed);
  const share = (most: number): number => Math.floor(random.next() * most * kills);
  return Array.from({ length: runs }, (_, n) => {
    const startAfter = share(0.8);
    const first = random.chance(0.3) ? 0 : startAfter + share(0.15);
    const isOrder = n < runs - others;
    return {
      n,
      runId: `${isOrder ? "order" : "other"}-${n}`,
      isOrder,
      startAfter,
      nudgeAfter: [first, startAfter + share(0.3)],
    };
  });
}
