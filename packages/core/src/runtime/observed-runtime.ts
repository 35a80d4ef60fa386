/** What telemetry may ask of a runtime, and reports of claims. */

import type { ObservedClaim, ObservedRuntime } from "./api/runtime-options.types.js";
import type { ClaimedRun, RunQuery, RunStore } from "./store/run-store.types.js";
import { allPages } from "./store/store-kit.js";

/** Number of runs that are listed at once. */
const PAGE = 100;

interface Observed {
  readonly store: Pick<RunStore, "tenants" | "list">;
  readonly live: ReadonlyMap<string, unknown>;
}

export function observedRuntime({ store, live }: Observed, queues: readonly string[]): ObservedRuntime {
  return {
    get runsInMemory() {
      return live.size;
    },
    queues,
    async queueDepth(queue, limit) {
      let depth = 0;
      const status = ["scheduled", "queued"] as const;
      for (const tenant of await store.tenants()) depth += await depthOf(store, { tenant, queue, status, limit });
      return depth;
    },
  };
}

/** A run that waits for something other than its turn does not count, nor does one with a place. */
async function depthOf(store: Observed["store"], { limit, ...which }: RunQuery): Promise<number> {
  let depth = 0;
  let seen = 0;
  const query = { ...which, limit: Math.min(PAGE, limit) };
  for await (const { runs } of allPages((from) => store.list({ ...query, ...from })))
    for (const { hasPlace } of runs) {
      if (!hasPlace) depth++;
      if (++seen === limit) return depth;
    }
  return depth;
}

/** Report of a claim: the run was due, had a message, or had lost its process. */
export function observedClaim({ run, posts }: ClaimedRun, claimedAtMs: number): ObservedClaim {
  const since = [run.wakeAtMs ?? run.startAtMs, posts[0]?.atMs ?? claimedAtMs].filter((atMs) => atMs <= claimedAtMs);
  const dueAtMs = Math.min(claimedAtMs, ...since);
  return { ...run.key, workflow: run.workflow, dueAtMs, claimedAtMs };
}
