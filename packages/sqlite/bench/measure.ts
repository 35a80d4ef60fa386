/** What a scenario is made of, and how times are compared. */

/** One number of Millrace per driver, beside the number it is held against. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly budget?: Budget;
  take(driver: Driver): Promise<Found>;
}

/** In the measure's unit, or of the ratio to what it is held against. */
export type Budget = { readonly [Bound in "atLeast" | "atMost" | "ratioAtLeast" | "ratioAtMost"]?: number };

export type Driver = "node:sqlite" | "better-sqlite3";
export const drivers: readonly Driver[] = ["node:sqlite", "better-sqlite3"];

export interface Found {
  readonly reached: number;
  /** What it is held against, and how much of that it is. Null: nothing. */
  readonly base: number | null;
  readonly ratio: number | null;
}

export interface Scenario {
  /** What the numbers are held against: the head of a column. */
  readonly base: string;
  readonly measures: readonly Measure[];
}

type Work = () => number | Promise<number>;

/**
 * Medians of both, taken in turn, so that what else the machine does meets both. The ratio is the median of the ratios of neighbours.
 *
 * @param work Gives its own number. The first round of each is not counted.
 */
export async function compare(work: { readonly reached: Work; readonly base: Work }, rounds: number): Promise<Found> {
  const reached: number[] = [];
  const base: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    base.push(await work.base());
    reached.push(await work.reached());
  }
  const ratios = reached.map((value, round) => value / (base[round] ?? Number.NaN));
  return { reached: median(reached.slice(1)), base: median(base.slice(1)), ratio: median(ratios.slice(1)) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Milliseconds of one call. */
export async function msOf(work: () => unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** A number that was measured doing the wrong thing says nothing. */
export function assertCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new TypeError(`${what}: ${found}, not ${expected}`);
}
