/** Figures from the counts of a store. */
import type { Figures, PeriodFigures, StepFigures, WorkflowFigures } from "../api/statistics.types.js";
import type { StatisticsRow } from "../store/statistics.types.js";
import { quantileMs } from "./duration-range.js";

export function figuresOf(rows: readonly StatisticsRow[]): Figures {
  const ranges = new Map<number, number>();
  let count = 0;
  let failed = 0;
  for (const row of rows) {
    count += row.count;
    if (row.status === "failed" || row.status === "timedOut") failed += row.count;
    if (row.status !== "cancelled") ranges.set(row.range, (ranges.get(row.range) ?? 0) + row.count);
  }
  const failureRate = count === 0 ? 0 : failed / count;
  return { count, failed, failureRate, p50Ms: quantileMs(ranges, 0.5), p95Ms: quantileMs(ranges, 0.95) };
}

/** The rows of each name, in the order of the first ones. */
export function groupedBy<Name>(
  rows: readonly StatisticsRow[],
  nameOf: (row: StatisticsRow) => Name,
): Map<Name, StatisticsRow[]> {
  const groups = new Map<Name, StatisticsRow[]>();
  for (const row of rows) {
    const group = groups.get(nameOf(row));
    if (group === undefined) groups.set(nameOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** The periods that have rows, in order. */
export function periodsOf<Of>(
  rows: readonly StatisticsRow[],
  time: { readonly fromMs: number; readonly periodMs: number },
  of: (rows: readonly StatisticsRow[]) => Of,
): (Of & { readonly atMs: number })[] {
  return [...groupedBy(rows, ({ period }) => period)]
    .sort(([one], [other]) => one - other)
    .map(([period, inPeriod]) => ({ atMs: time.fromMs + period * time.periodMs, ...of(inPeriod) }));
}

export function stepFigures(rows: readonly StatisticsRow[]): StepFigures[] {
  return [...groupedBy(rows, ({ step }) => step ?? "")]
    .map(([step, ofStep]) => ({ step, ...figuresOf(ofStep) }))
    .sort((one, other) => other.failed - one.failed || other.count - one.count || (one.step < other.step ? -1 : 1));
}

export interface CountedRows {
  readonly runs: readonly StatisticsRow[];
  readonly attempts: readonly StatisticsRow[];
  /** `null`: without figures of periods. */
  readonly time: { readonly fromMs: number; readonly periodMs: number } | null;
  readonly by: "version" | undefined;
}

/** In the order of names, then of versions. A workflow whose steps have ended, and none of its runs, is there, too. */
export function workflowFigures({ runs, attempts, time, by }: CountedRows): WorkflowFigures[] {
  const nameOf = ({ workflow, version }: StatisticsRow): string =>
    JSON.stringify(by === undefined ? [workflow] : [workflow, version]);
  const byName = groupedBy(runs, nameOf);
  const steps = groupedBy(attempts, nameOf);
  const names = [...new Set([...byName.keys(), ...steps.keys()])].sort();
  return names.map((name) => {
    const [workflow, version] = JSON.parse(name) as [string, string | null | undefined];
    const ofName = byName.get(name) ?? [];
    const periods: PeriodFigures[] = time === null ? [] : periodsOf(ofName, time, figuresOf);
    const figures = { ...figuresOf(ofName), periods, steps: stepFigures(steps.get(name) ?? []) };
    return version === undefined ? { workflow, ...figures } : { workflow, version, ...figures };
  });
}
