/** Counts of a {@link memoryStore}: those of the last seven days of its runs. */
import { type CountedMeasures, kindOf, type Series } from "../statistics/counted.js";
import { SLOT_MS, type StatisticsQuery, type StatisticsRow } from "../store/statistics.types.js";
import { entryOf } from "./memory-run.js";

const KEPT_SLOTS = (7 * 86_400_000) / SLOT_MS;

interface CountedSeries {
  readonly series: Series;
  /** By slot, status and range. */
  readonly sums: Map<string, CountedMeasures>;
}

export class MemoryStatistics {
  readonly #series: Map<string, CountedSeries> = new Map();
  #newestSlot = 0;

  add(counted: readonly CountedMeasures[]): void {
    for (const one of counted) {
      this.#forgetOld(one.slot);
      const { sums } = entryOf(this.#series, one.series.key, () => ({ series: one.series, sums: new Map() }));
      const sum = sums.get(nameOf(one));
      sums.set(nameOf(one), sum === undefined ? one : together(sum, one));
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
        rows.set(name, { ...(row === undefined ? sum : together(row, sum)), period });
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

function together(one: CountedMeasures, other: CountedMeasures): CountedMeasures {
  return {
    ...one,
    count: one.count + other.count,
    firstAtMs: Math.min(one.firstAtMs, other.firstAtMs),
    lastAtMs: Math.max(one.lastAtMs, other.lastAtMs),
  };
}
