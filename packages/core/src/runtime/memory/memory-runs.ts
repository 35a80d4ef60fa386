import { pageSize } from "../../value/options.js";
import { addTo, type CountedMeasures, kindOf, type Series } from "../statistics/counted.js";
import { inPeriods } from "../store/run-list.js";
import type {
  CountQuery,
  HistogramBar,
  HistogramQuery,
  RunCount,
  RunKey,
  RunPage,
  RunQuery,
  StoredStatus,
} from "../store/run-store.types.js";
import { SLOT_MS, type StatisticsQuery, type StatisticsRow } from "../store/statistics.types.js";
import {
  decodePageCursor,
  encodePageCursor,
  hasIndexed,
  matchesSearch,
  type PagePosition,
  searchWindow,
} from "../store/store-kit.js";
import { countWhile, entryOf, type MemoryRun } from "./memory-run.js";

interface Tenant {
  readonly byId: Map<string, MemoryRun>;
  /** Oldest first. Removed runs stay until they are half of the list. */
  sorted: MemoryRun[];
}

/** The runs of all tenants, by key and by age. */
export class MemoryRuns {
  readonly #tenants = new Map<string, Tenant>();

  get(key: RunKey): MemoryRun | undefined {
    return this.#tenants.get(key.tenant)?.byId.get(key.runId);
  }

  add(run: MemoryRun): void {
    const { tenant: name, runId } = run.row.key;
    const tenant = entryOf(this.#tenants, name, () => ({ byId: new Map(), sorted: [] }));
    tenant.byId.set(runId, run);
    tenant.sorted.splice(countBelow(tenant.sorted, placeOf(run)), 0, run);
  }

  remove(run: MemoryRun): void {
    const tenant = this.#tenants.get(run.row.key.tenant);
    if (tenant === undefined) return;
    tenant.byId.delete(run.row.key.runId);
    run.removed = true;
    if (tenant.byId.size === 0) this.#tenants.delete(run.row.key.tenant);
    else if (tenant.sorted.length > 2 * tenant.byId.size) {
      tenant.sorted = tenant.sorted.filter((other) => !other.removed);
    }
  }

  tenants(): string[] {
    return [...this.#tenants.keys()];
  }

  page(query: RunQuery): RunPage {
    const limit = pageSize(query.limit);
    const found: MemoryRun[] = [];
    let looked = 0;
    let last: MemoryRun | null = null;
    for (const run of this.#walk(query)) {
      if (found.length === limit || looked === searchWindow)
        return { runs: stored(found), cursor: last && encodePageCursor(placeOf(last), query.order) };
      last = run;
      if (query.search !== undefined) looked++;
      if (query.search === undefined || matchesSearch(run.row, query.search)) found.push(run);
    }
    return { runs: stored(found), cursor: null };
  }

  counts({ tenant, workflow, labels = {} }: CountQuery): RunCount[] {
    const counts = new Map<string, { workflow: string; status: StoredStatus; count: number }>();
    for (const { row, status, removed } of this.#tenants.get(tenant)?.sorted ?? []) {
      if (removed || (workflow !== undefined && row.workflow !== workflow) || !hasLabels(row.labels, labels)) continue;
      const { workflow: of } = row;
      entryOf(counts, `${status} ${of}`, () => ({ workflow: of, status, count: 0 })).count++;
    }
    return [...counts.values()];
  }

  histogram(query: HistogramQuery): HistogramBar[] {
    const { fromMs, periodMs } = query;
    const bars = new Map<string, { readonly period: number; readonly status: StoredStatus; count: number }>();
    for (const { row, status } of this.#walk({ ...inPeriods(query), limit: 1 })) {
      const period = Math.floor((row.createdAtMs - fromMs) / periodMs);
      entryOf(bars, `${period} ${status}`, () => ({ period, status, count: 0 })).count++;
    }
    return [...bars.values()];
  }

  *#walk(query: RunQuery): Generator<MemoryRun> {
    const sorted = this.#tenants.get(query.tenant)?.sorted ?? [];
    const isOldest = query.order === "oldest";
    const step = isOldest ? 1 : -1;
    for (let index = startOf(sorted, query); index >= 0 && index < sorted.length; index += step) {
      const run = sorted[index] as MemoryRun;
      if (isBeyond(run, query)) return;
      if (!run.removed && matches(run, query)) yield run;
    }
  }
}

const placeOf = (run: MemoryRun): PagePosition => ({ createdAtMs: run.row.createdAtMs, id: run.number });
const stored = (runs: readonly MemoryRun[]): RunPage["runs"] => runs.map((run) => run.toStored());

function countBelow(sorted: readonly MemoryRun[], place: PagePosition): number {
  return countWhile(sorted, (run) => {
    const { createdAtMs } = run.row;
    return createdAtMs === place.createdAtMs ? run.number < place.id : createdAtMs < place.createdAtMs;
  });
}

/** Index of the first run of the page. */
function startOf(sorted: readonly MemoryRun[], { cursor, createdAfterMs, createdBeforeMs, order }: RunQuery): number {
  const place = cursor === undefined ? null : decodePageCursor(cursor, order);
  if (order === "oldest") {
    const afterCursor = place === null ? 0 : countBelow(sorted, { ...place, id: place.id + 1 });
    if (createdAfterMs === undefined) return afterCursor;
    return Math.max(
      afterCursor,
      countWhile(sorted, (run) => run.row.createdAtMs <= createdAfterMs),
    );
  }
  const afterCursor = place === null ? sorted.length : countBelow(sorted, place);
  if (createdBeforeMs === undefined) return afterCursor - 1;
  return (
    Math.min(
      afterCursor,
      countWhile(sorted, (run) => run.row.createdAtMs < createdBeforeMs),
    ) - 1
  );
}

/** Returns whether no run from here on is in the range of times. */
function isBeyond({ row }: MemoryRun, { createdAfterMs, createdBeforeMs, order }: RunQuery): boolean {
  if (order === "oldest") return createdBeforeMs !== undefined && row.createdAtMs >= createdBeforeMs;
  return createdAfterMs !== undefined && row.createdAtMs <= createdAfterMs;
}

function matches(run: MemoryRun, query: RunQuery): boolean {
  if (query.workflow !== undefined && run.row.workflow !== query.workflow) return false;
  if (query.version !== undefined && run.row.version !== query.version) return false;
  if (query.queue !== undefined && run.row.queue?.name !== query.queue) return false;
  if (query.failure !== undefined && run.failure !== query.failure) return false;
  if (query.failedStep !== undefined && run.failedStep !== query.failedStep) return false;
  if (query.status !== undefined && !query.status.includes(run.status)) return false;
  if (query.endedBeforeMs !== undefined && (run.row.endedAtMs === null || run.row.endedAtMs >= query.endedBeforeMs))
    return false;
  return hasLabels(run.row.labels, query.labels ?? {}) && hasIndexed(run.index, query.index);
}

function hasLabels(labels: { readonly [name: string]: string }, wanted: { readonly [name: string]: string }): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

// ---- counts of a {@link memoryStore}: those of the last seven days of its runs

const KEPT_SLOTS = (7 * 86_400_000) / SLOT_MS;

interface CountedSeries {
  readonly series: Series;
  /** Sums by slot, status and range. */
  readonly sums: Map<string, CountedMeasures>;
}

export class MemoryStatistics {
  readonly #series: Map<string, CountedSeries> = new Map();
  #newestSlot = 0;

  add(counted: readonly CountedMeasures[]): void {
    for (const one of counted) {
      this.#forgetOld(one.slot);
      const { sums } = entryOf(this.#series, one.series.key, () => ({ series: one.series, sums: new Map() }));
      const name = nameOf(one);
      const sum = sums.get(name);
      if (sum === undefined) sums.set(name, one);
      else addTo(sum, one);
    }
  }

  rows({ tenant, kind, workflows, fromSlot, toSlot, slots }: StatisticsQuery): StatisticsRow[] {
    const rows = new Map<string, CountedMeasures & { readonly period: number }>();
    for (const { series, sums } of this.#series.values()) {
      const isWanted = series.tenant === tenant && kindOf(series) === kind;
      if (!isWanted || workflows?.includes(series.workflow) === false) continue;
      for (const sum of sums.values()) {
        if (sum.slot < fromSlot || sum.slot >= toSlot) continue;
        const period = Math.floor((sum.slot - fromSlot) / slots);
        const name = JSON.stringify([series.key, period, sum.status, sum.range]);
        const row = rows.get(name);
        if (row === undefined) rows.set(name, { ...sum, period });
        else addTo(row, sum);
      }
    }
    return [...rows.values()].map(({ series, period, status, range, count, firstAtMs, lastAtMs }) => {
      const { workflow, step, version, failure } = series;
      return { workflow, step, version, failure, period, status, range, count, firstAtMs, lastAtMs };
    });
  }

  /** Returns how many sums were deleted. */
  delete(tenant: string | null, beforeSlot: number): number {
    let deleted = 0;
    for (const [key, { series, sums }] of this.#series) {
      if (tenant !== null && series.tenant !== tenant) continue;
      for (const [name, { slot }] of sums) if (slot < beforeSlot && sums.delete(name)) deleted++;
      if (sums.size === 0) this.#series.delete(key);
    }
    return deleted;
  }

  #forgetOld(slot: number): void {
    if (slot <= this.#newestSlot) return;
    this.#newestSlot = slot;
    this.delete(null, slot - KEPT_SLOTS);
  }
}

const nameOf = ({ slot, status, range }: CountedMeasures): string => `${slot} ${status} ${range}`;
