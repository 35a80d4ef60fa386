/** Measures of one transaction, counted: a store writes each sum once. */
import type { CommitResult, RunCommit } from "../store/run-store.types.js";
import { type Measure, SLOT_MS, type StatisticsQuery, type StatisticsRow } from "../store/statistics.types.js";

/** What distinguishes a series of counts. */
export interface Series extends Pick<Measure, "workflow" | "step" | "version" | "failure"> {
  readonly tenant: string;
  /** The same for equal series only. */
  readonly key: string;
}

/** Equal measures of one slot. */
export interface CountedMeasures extends Pick<Measure, "status" | "range"> {
  readonly series: Series;
  readonly slot: number;
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

/** What became of a commit: of a refused one, nothing is counted. */
type Status = Pick<CommitResult, "status">;

/** Sums of the measures of the commits that were stored. @param results What became of each. @default all were stored */
export function countMeasures(commits: readonly RunCommit[], results?: readonly Status[]): CountedMeasures[] {
  const sums = new Map<string, CountedMeasures>();
  commits.forEach(({ key, measures = [] }, index) => {
    if (results === undefined || results[index]?.status === "stored")
      for (const measure of measures) add(sums, key.tenant, measure);
  });
  return [...sums.values()];
}

function add(sums: Map<string, CountedMeasures>, tenant: string, measure: Measure): void {
  const { status, range, atMs } = measure;
  const series = seriesOf(tenant, measure);
  const slot = Math.floor(atMs / SLOT_MS);
  const name = JSON.stringify([series.key, slot, status, range]);
  const known = sums.get(name);
  if (known === undefined) {
    sums.set(name, { series, slot, status, range, count: 1, firstAtMs: atMs, lastAtMs: atMs });
    return;
  }
  known.count++;
  known.firstAtMs = Math.min(known.firstAtMs, atMs);
  known.lastAtMs = Math.max(known.lastAtMs, atMs);
}

function seriesOf(tenant: string, { workflow, step, version, failure }: Measure): Series {
  const key = JSON.stringify([tenant, workflow, step, version, failure?.id ?? null]);
  return { tenant, workflow, step, version, failure, key };
}

/** The kind of measures that a series counts. */
export function kindOf({ step, failure }: Pick<Measure, "step" | "failure">): StatisticsQuery["kind"] {
  if (failure !== null) return "failures";
  return step === null ? "runs" : "attempts";
}

interface MeasuredColumns extends Omit<StatisticsRow, "failure" | "firstAtMs" | "lastAtMs"> {
  readonly failure: string | null;
  readonly text: string | null;
  readonly first_at: number;
  readonly last_at: number;
}

/** Reads a row of a store in SQL: the columns have these names, in snake case, and `text` is that of the failure. */
export function statisticsRowOf(row: unknown): StatisticsRow {
  const { failure, text, first_at, last_at, ...more } = row as MeasuredColumns;
  const { workflow, step, version, period, status, range, count } = more;
  const kind = failure === null ? null : { id: failure, text: text ?? "null" };
  return {
    workflow,
    step,
    version,
    failure: kind,
    period,
    status,
    range,
    count,
    firstAtMs: first_at,
    lastAtMs: last_at,
  };
}
