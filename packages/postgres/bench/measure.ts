/** How numbers are taken, and what is said about them. */

export interface Found {
  readonly name: string;
  readonly unit: string;
  readonly reached: number;
  /** What it is held against, and how much of that it is. Null: nothing. */
  readonly base: number | null;
  readonly ratio: number | null;
  /** Of the ratio. */
  readonly budget?: { readonly atLeast?: number; readonly atMost?: number };
}

type Work = () => Promise<number>;

/**
 * Medians of both, taken in turn, so that what else the machine does meets both. The ratio is the median of the ratios of
 * neighbours. The first round of each is not counted.
 */
export async function compare(work: { readonly reached: Work; readonly base: Work }, rounds: number) {
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
  return part(values, 0.5);
}

/** The value below which this part of them is. */
export function part(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Milliseconds of one call, by the median of some. */
export async function msOf(work: () => Promise<unknown>, times = 5): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < times; time++) {
    const startMs = performance.now();
    await work();
    taken.push(performance.now() - startMs);
  }
  return median(taken);
}

/** How often `work` is done in a second, by as many at once; each call says how much it was. */
export async function rateOf(work: (worker: number) => Promise<number>, workers: number, forMs = 800): Promise<number> {
  const startMs = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (performance.now() - startMs < forMs) {
        // `done += await …` would read the sum before the others have added to it.
        const count = await work(worker);
        done += count;
      }
    }),
  );
  return (done / (performance.now() - startMs)) * 1_000;
}

/** A number that was measured doing the wrong thing says nothing. */
export function assertCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new TypeError(`${what}: ${found}, not ${expected}`);
}

export function table(rows: readonly Found[]): string {
  const lines = rows.map(({ name, unit, reached, base, ratio, budget }) => {
    const { atLeast = -Infinity, atMost = Infinity } = budget ?? {};
    const isKept = ratio === null || (ratio >= atLeast && ratio <= atMost);
    const bound = budget === undefined ? "" : budget.atLeast === undefined ? `≤ ${atMost}×` : `≥ ${atLeast}×`;
    const mark = budget === undefined ? "" : isKept ? " ✓" : " ✗";
    const shown = ratio === null ? "" : `${number(ratio)}×${mark}`;
    return `| ${name} | ${unit} | ${number(reached)} | ${base === null ? "" : number(base)} | ${shown} | ${bound} |`;
  });
  return ["| | unit | Millrace | beside it | ratio | budget |", "|---|---|---:|---:|---:|---:|", ...lines].join("\n");
}

function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
