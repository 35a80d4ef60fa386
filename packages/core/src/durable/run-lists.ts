/** Lists of stored runs. */
import { pageSize, timeOf } from "../value/option-value.js";
import type { RunStore, StoredRun } from "./run-store.types.js";
import type { RunFilter, RunListing } from "./runtime.types.js";
import { sealOwner } from "./sealed-run.js";

export async function list(
  store: RunStore,
  filter: RunFilter,
): Promise<{ runs: readonly RunListing[]; cursor: string | null }> {
  const { tenant = "", limit = 100, workflow, status, labels, queue, createdAfter, createdBefore, cursor } = filter;
  const page = await store.list({
    tenant,
    limit: pageSize(limit),
    ...(workflow !== undefined && { workflow }),
    ...(status !== undefined && { status: typeof status === "string" ? [status] : status }),
    ...(labels !== undefined && { labels }),
    ...(queue !== undefined && { queue }),
    ...(createdAfter !== undefined && { createdAfterMs: timeOf(createdAfter, "createdAfter") }),
    ...(createdBefore !== undefined && { createdBeforeMs: timeOf(createdBefore, "createdBefore") }),
    ...(cursor !== undefined && { cursor }),
  });
  return { runs: page.runs.map(toListing), cursor: page.cursor };
}

export function toListing(run: StoredRun): RunListing {
  const { key, workflow, status, createdAtMs, updatedAtMs, endedAtMs, wakeAtMs, labels, ticks, lastEvent } = run;
  const { forkedFrom, queue, hasPlace } = run;
  return {
    ...key,
    workflow,
    status,
    createdAtMs,
    updatedAtMs,
    endedAtMs,
    wakeAtMs,
    labels,
    ticks,
    // The event that ends a stream is how the run ended, which is no event of the store.
    lastEvent: endedAtMs === null ? lastEvent : lastEvent + 1,
    forkedFrom,
    queue: queue === null ? null : { ...queue, hasPlace },
    isSealed: sealOwner(run) !== undefined,
  };
}
