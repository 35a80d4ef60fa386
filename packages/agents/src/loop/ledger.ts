import { addMetrics, emptyMetrics, type StepMetricsData } from "@millrace/pipeline/executor";
import type { Ledger } from "./loop-run.types.js";

export function newLedger(): Ledger {
  return { calls: [], made: [], heard: [], tools: [], media: [], members: [], open: new Set() };
}

/** Sum over all model calls, those of members included, also of members that are still at work. */
export function spent({ calls, members, open }: Ledger): StepMetricsData {
  const ofMembers = [...members.map(({ metrics }) => metrics), ...[...open].map(({ ledger }) => spent(ledger))];
  return [...calls, ...ofMembers].reduce(addMetrics, emptyMetrics);
}
