/** Lists of stored runs, and those that have had their time. */

import { WorkflowError } from "../errors/workflow-error.js";
import type { RunStore, StoredRun, StoredStatus } from "./run-store.types.js";
import type { Retention, RunFilter, RunListing } from "./runtime.types.js";
import { timeOf } from "./time-of.js";

const PAGE = 500;

export async function list(
  store: RunStore,
  filter: RunFilter,
): Promise<{ runs: readonly RunListing[]; cursor: string | null }> {
  const { tenant = "", limit = 100, workflow, status, labels, createdAfter, createdBefore, cursor } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `\`limit\` is ${String(limit)}; it must be a whole number from 1 to 1,000.`,
      hint: "Read more pages with `cursor`.",
      details: { option: "limit" },
    });
  }
  const page = await store.list({
    tenant,
    limit,
    ...(workflow !== undefined && { workflow }),
    ...(status !== undefined && { status: typeof status === "string" ? [status] : status }),
    ...(labels !== undefined && { labels }),
    ...(createdAfter !== undefined && { createdAfterMs: timeOf(createdAfter, "createdAfter") }),
    ...(createdBefore !== undefined && { createdBeforeMs: timeOf(createdBefore, "createdBefore") }),
    ...(cursor !== undefined && { cursor }),
  });
  return { runs: page.runs.map(toListing), cursor: page.cursor };
}

export function toListing(run: StoredRun): RunListing {
  const { key, workflow, status, createdAtMs, updatedAtMs, endedAtMs, wakeAtMs, labels, ticks, lastEvent, forkedFrom } =
    run;
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
  };
}

const ended: readonly StoredStatus[] = ["completed", "failed", "cancelled", "timedOut"];

/** Gives how many were deleted. */
export async function retainRuns(
  store: RunStore,
  { tenant = "", status }: Retention,
  beforeMs: number,
): Promise<number> {
  const statuses = status === undefined ? ended : typeof status === "string" ? [status] : status;
  let deleted = 0;
  for (;;) {
    const { runs } = await store.list({ tenant, status: statuses, endedBeforeMs: beforeMs, limit: PAGE });
    const gone = runs.length === 0 ? 0 : await store.delete(runs.map(({ key }) => key));
    deleted += gone;
    if (gone === 0) return deleted;
  }
}
