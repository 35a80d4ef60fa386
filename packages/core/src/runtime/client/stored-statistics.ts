/** Statistics of a store, as its runtime returns them. */

import { invalidOption, type WorkflowError } from "../../errors/workflow-error.js";
import type { Clock } from "../../host.js";
import { toMs } from "../../value/duration.js";
import { assertOption, integerIn, pageSize } from "../../value/options.js";
import type {
  FailureGroup,
  Figures,
  Histogram,
  RuntimeStatistics,
  StatisticsFilter,
  StepFigures,
  WorkflowFigures,
} from "../api/operate.types.js";
import { checkCallOptions, checkNames } from "../options/call-options.js";
import { countedTime, type FailureKind, quantileMs } from "../statistics/counted.js";
import type { HistogramBar, RunStore } from "../store/run-store.types.js";
import { type MeasureKind, SLOT_MS, type StatisticsRow } from "../store/statistics.types.js";
import { parseJson } from "../text/journal-text.js";
import { filterQuery } from "./run-lists.js";

/** How many periods a chart has, at most. */
const PERIODS = 60;
const DAY_MS = 86_400_000;

export interface StatisticsSetup {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Resolves once what was committed before is stored. */
  readonly barrier: () => Promise<void>;
}

/** The statistics of a store. */
export function storedStatistics(setup: StatisticsSetup): RuntimeStatistics {
  const { store, clock } = setup;
  const ready = (call: Parameters<typeof checkCallOptions>[0], options: unknown): Promise<void> => {
    checkCallOptions(call, options);
    return setup.barrier();
  };
  return {
    async figures(filter = {}) {
      await ready("statistics.figures", filter);
      const { by, workflow } = filter;
      if (by !== undefined) assertOption(by === "version", "by", '"version"');
      const time = timeOfFilter(setup, filter);
      const isOne = workflow !== undefined;
      const [runs, attempts] = await Promise.all([
        rowsOf(setup, { kind: "runs", filter, time, inPeriods: isOne }),
        isOne ? rowsOf(setup, { kind: "attempts", filter, time, inPeriods: false }) : [],
      ]);
      return { ...time, workflows: workflowFigures({ runs, attempts, time: isOne ? time : null, by }) };
    },
    async failures(filter = {}) {
      await ready("statistics.failures", filter);
      const { version, limit = 100 } = filter;
      const size = pageSize(limit);
      if (version !== undefined) assertOption(typeof version === "string", "version", "a text");
      const time = timeOfFilter(setup, filter);
      const found = await rowsOf(setup, { kind: "failures", filter, time, inPeriods: true });
      const wanted = found.filter((row) => version === undefined || row.version === version);
      const groups = [...groupedBy(wanted, ({ failure }) => failure?.id ?? "")].map(([id, rows]) =>
        groupOf(id, rows, time),
      );
      groups.sort((one, other) => other.count - one.count || other.lastAtMs - one.lastAtMs);
      return { ...time, groups: groups.slice(0, size) };
    },
    async histogram(filter = {}) {
      await ready("statistics.histogram", filter);
      const { periods = PERIODS, ...listed } = filter;
      integerIn(periods, "periods", { least: 1, most: 500 });
      const { histogram } = store;
      if (histogram === undefined) throw notCounted();
      const time = countedTime(
        { after: listed.createdAfter, before: listed.createdBefore },
        {
          ...{ nowMs: clock.now(), defaultMs: 7 * DAY_MS, periods, leastMs: 1_000 },
          names: ["createdAfter", "createdBefore"],
        },
      );
      const { fromMs, toMs, periodMs } = time;
      const counted = { fromMs, periodMs, periods: Math.round((toMs - fromMs) / periodMs) };
      const found = await histogram({ ...filterQuery(listed), ...counted });
      return { ...time, bars: barsOf(found, time) };
    },
    async delete(options) {
      await ready("statistics.delete", options);
      const { tenant, olderThan } = options;
      checkNames({ tenant });
      const beforeMs = clock.now() - toMs(olderThan, "olderThan");
      if (store.deleteStatistics === undefined) throw notCounted();
      return store.deleteStatistics(tenant ?? null, Math.floor(beforeMs / SLOT_MS));
    },
  };
}

const countOf = (rows: readonly StatisticsRow[]): number => rows.reduce((sum, { count }) => sum + count, 0);

function groupOf(id: string, rows: readonly StatisticsRow[], time: Parameters<typeof periodsOf>[1]): FailureGroup {
  const [{ workflow, failure }] = rows as [StatisticsRow];
  const kind = parseJson(failure?.text ?? "", `the kind of failure "${id}"`) as Partial<FailureKind> | string;
  const { step = null, code = null, message = "" } = typeof kind === "string" ? { message: kind } : kind;
  const versions = [...groupedBy(rows, ({ version }) => version)]
    .map(([version, ofVersion]) => ({ version, count: countOf(ofVersion) }))
    .sort((one, other) => other.count - one.count);
  return {
    ...{ id, workflow, step, code, message, versions },
    count: countOf(rows),
    firstAtMs: Math.min(...rows.map(({ firstAtMs }) => firstAtMs)),
    lastAtMs: Math.max(...rows.map(({ lastAtMs }) => lastAtMs)),
    periods: periodsOf(rows, time, (ofPeriod) => ({ count: countOf(ofPeriod) })),
  };
}

function barsOf(found: readonly HistogramBar[], { fromMs, periodMs }: Pick<Histogram, "fromMs" | "periodMs">) {
  const bars = new Map<number, Histogram["bars"][number]>();
  for (const { period, status, count } of [...found].sort((one, other) => one.period - other.period)) {
    const counts = { ...bars.get(period)?.counts, [status]: count };
    bars.set(period, { atMs: fromMs + period * periodMs, counts });
  }
  return [...bars.values()];
}

function timeOfFilter({ clock }: StatisticsSetup, { after, before }: StatisticsFilter) {
  const options = { nowMs: clock.now(), defaultMs: DAY_MS, periods: PERIODS, leastMs: SLOT_MS } as const;
  return countedTime({ after, before }, { ...options, names: ["after", "before"] });
}

interface Rows {
  readonly kind: MeasureKind;
  readonly filter: StatisticsFilter;
  readonly time: ReturnType<typeof timeOfFilter>;
  /** `false` if the whole time is one period. */
  readonly inPeriods: boolean;
}

async function rowsOf(
  { store }: StatisticsSetup,
  { kind, filter, time, inPeriods }: Rows,
): Promise<readonly StatisticsRow[]> {
  const { tenant = "", workflow, workflows } = filter;
  checkNames({ tenant });
  if (workflow !== undefined) assertOption(typeof workflow === "string", "workflow", "a text");
  if (workflows !== undefined) assertOption(Array.isArray(workflows), "workflows", "a list of names");
  if (store.statistics === undefined) throw notCounted();
  const only = workflow === undefined ? workflows : [workflow].filter((name) => workflows?.includes(name) !== false);
  const [fromSlot, toSlot] = [time.fromMs / SLOT_MS, time.toMs / SLOT_MS];
  const slots = inPeriods ? time.periodMs / SLOT_MS : toSlot - fromSlot;
  return store.statistics({ tenant, kind, fromSlot, toSlot, slots, ...(only !== undefined && { workflows: only }) });
}

function notCounted(): WorkflowError {
  return invalidOption(
    "The store of this runtime counts no statistics.",
    "Use a store with statistics, such as `sqliteStore`, `postgresStore` or `memoryStore`.",
  );
}

// ---- figures from the counts of a store

function figuresOf(rows: readonly StatisticsRow[]): Figures {
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
function groupedBy<Name>(
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
function periodsOf<Of>(
  rows: readonly StatisticsRow[],
  time: { readonly fromMs: number; readonly periodMs: number },
  of: (rows: readonly StatisticsRow[]) => Of,
): (Of & { readonly atMs: number })[] {
  return [...groupedBy(rows, ({ period }) => period)]
    .sort(([one], [other]) => one - other)
    .map(([period, inPeriod]) => ({ atMs: time.fromMs + period * time.periodMs, ...of(inPeriod) }));
}

function stepFigures(rows: readonly StatisticsRow[]): StepFigures[] {
  return [...groupedBy(rows, ({ step }) => step ?? "")]
    .map(([step, ofStep]) => ({ step, ...figuresOf(ofStep) }))
    .sort((one, other) => other.failed - one.failed || other.count - one.count || (one.step < other.step ? -1 : 1));
}

interface CountedRows {
  readonly runs: readonly StatisticsRow[];
  readonly attempts: readonly StatisticsRow[];
  /** `null` without figures of periods. */
  readonly time: { readonly fromMs: number; readonly periodMs: number } | null;
  readonly by: "version" | undefined;
}

/**
 * Returns figures in the order of names, then of versions. A workflow whose steps have ended, but none of its runs, is
 * included.
 */
function workflowFigures({ runs, attempts, time, by }: CountedRows): WorkflowFigures[] {
  const nameOf = ({ workflow, version }: StatisticsRow): string =>
    JSON.stringify(by === undefined ? [workflow] : [workflow, version]);
  const byName = groupedBy(runs, nameOf);
  const steps = groupedBy(attempts, nameOf);
  const names = [...new Set([...byName.keys(), ...steps.keys()])].sort();
  return names.map((name) => {
    const [workflow, version] = JSON.parse(name) as [string, string | null | undefined];
    const ofName = byName.get(name) ?? [];
    const periods = time === null ? [] : periodsOf(ofName, time, figuresOf);
    const figures = { ...figuresOf(ofName), periods, steps: stepFigures(steps.get(name) ?? []) };
    return version === undefined ? { workflow, ...figures } : { workflow, version, ...figures };
  });
}
