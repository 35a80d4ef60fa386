/** What a scenario is made of, and how pipelines are compared with others. */
import { setTimeout as sleep } from "node:timers/promises";

/** One number of a pipeline, beside the same work done by others. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly budget?: Budget;
  take(): Promise<Found>;
}

export interface Budget {
  /** Of the pipeline's own number, in the measure's unit. */
  readonly atMost?: number;
  /** Of what it needs by what the core needs. */
  readonly timesCore?: number;
}

export const subjects = ["pipeline", "core", "alone", "langgraph"] as const;
export type SubjectName = (typeof subjects)[number];

export type Found = { readonly [Name in SubjectName]?: Reached };

export interface Reached {
  readonly value: number;
  /** How many times as much the pipeline needs. Null: of itself. */
  readonly ratio: number | null;
}

/** Gives its own number. */
export type Work = () => number | Promise<number>;

export interface Comparison {
  readonly rounds: number;
  /** Not counted: the compiler warms up. */
  readonly warmups: number;
  /** The more the better, as in runs per second. @default false */
  readonly isRate?: boolean;
}

/** Medians of all, taken in turn, so that what else the machine does meets all. A ratio is the median of the ratios of neighbours. */
export async function compare(
  works: { readonly [Name in SubjectName]?: Work },
  { rounds, warmups, isRate = false }: Comparison,
): Promise<Found> {
  const names = subjects.filter((name) => works[name] !== undefined);
  const values = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < warmups + rounds; round++) {
    for (const name of names) {
      const value = await works[name]?.();
      if (round >= warmups && value !== undefined) values.get(name)?.push(value);
    }
  }
  const own = values.get("pipeline") ?? [];
  const ratioOf = (others: readonly number[]): number =>
    median(others.map((other, round) => (own[round] ?? Number.NaN) / other).map((one) => (isRate ? 1 / one : one)));
  return Object.fromEntries(
    [...values].map(([name, found]) => [
      name,
      { value: median(found), ratio: name === "pipeline" ? null : ratioOf(found) },
    ]),
  );
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

/** Bytes in use once everything that can go is gone. */
export async function keptBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new TypeError("Start node with --expose-gc");
  for (let pass = 0; pass < 4; pass++) {
    await sleep(20);
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

/** A number that was measured doing the wrong thing says nothing. */
export function assertResult(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new TypeError(`${what}: ${String(found)}, not ${String(expected)}`);
}
