/** Statistics with the names of the wire. */
import type { Failures, Figures, Histogram, Statistics } from "millrace/runtime";
import type {
  CountedTimeRecord,
  CountsRecord,
  FailuresRecord,
  FiguresRecord,
  HistogramRecord,
  StatisticsRecord,
} from "millrace/wire";
import { toWire } from "millrace/wire";
import { cleanError } from "../http/clean-text.js";
import { openStatus } from "./handler-record.js";

function toTime({ fromMs, toMs, periodMs }: Statistics | Failures | Histogram): CountedTimeRecord {
  return { ...toWire({ fromMs, toMs }), period_ms: periodMs };
}

function toFigures({ count, failed, failureRate, p50Ms, p95Ms }: Figures): FiguresRecord {
  return { count, failed, failure_rate: failureRate, p50_ms: p50Ms, p95_ms: p95Ms };
}

export function toStatistics(statistics: Statistics): StatisticsRecord {
  return {
    ...toTime(statistics),
    workflows: statistics.workflows.map(({ workflow, version, periods, steps, ...figures }) => ({
      workflow_name: workflow,
      ...(version !== undefined && { version }),
      ...toFigures(figures),
      periods: periods.map(({ atMs, ...ofPeriod }) => ({ ...toWire({ atMs }), ...toFigures(ofPeriod) })),
      steps: steps.map(({ step, ...ofStep }) => ({ step, ...toFigures(ofStep) })),
    })),
  };
}

export function toFailures(failures: Failures): FailuresRecord {
  return {
    ...toTime(failures),
    groups: failures.groups.map(({ message, periods, ...group }) => ({
      ...toWire(group),
      message: cleanError(message),
      periods: periods.map(toWire),
    })),
  };
}

export function toHistogram({ bars, ...histogram }: Histogram): HistogramRecord {
  return {
    ...toTime({ ...histogram, bars }),
    bars: bars.map(({ atMs, counts }) => ({ ...toWire({ atMs }), counts: shown(counts) })),
  };
}

function shown(counts: Histogram["bars"][number]["counts"]): CountsRecord["status"] {
  const sums = { running: 0, waiting: 0, queued: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const status of Object.keys(counts) as (keyof typeof counts)[]) sums[openStatus(status)] += counts[status] ?? 0;
  return sums;
}
