import { emptyMetrics, type StepMetricsData } from "@millrace/pipeline/executor";
import { totalMetrics } from "../run/metrics.js";
import type { Ledger } from "./loop-run.types.js";

export function newLedger(): Ledger {
  return { calls: [], made: [], heard: [], tools: [], media: [], members: [], open: new Set(), reported: new Map() };
}

/** Sum over all model calls, those of members included, also of members that are still at work. */
export function spent({ calls, members, open, reported }: Ledger): StepMetricsData {
  return totalMetrics([
    emptyMetrics,
    ...calls,
    ...members.map(({ metrics }) => metrics),
    ...reported.values(),
    ...[...open].map(({ ledger }) => spent(ledger)),
  ]);
}
