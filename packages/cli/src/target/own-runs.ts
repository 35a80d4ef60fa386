/**
 * A store for one command: it claims the runs of the command, and leaves all others to their
 * processes.
 *
 * Without it, `millrace run` would continue every paused run of the store in passing.
 *
 * @module
 */
import { wrapStore } from "millrace/engine";
import type { ClaimedRun, RunKey, RunStore, StoredRun } from "millrace/runtime";

export interface OwnRuns {
  readonly store: RunStore;
  /** From here on the run is one of this command. */
  add(runId: string): void;
}

export function ownRuns(store: RunStore): OwnRuns {
  const ids = new Set<string>();
  const keys = (): RunKey[] => [...ids].map((runId) => ({ tenant: "", runId }));
  const claimDue: RunStore["claimDue"] = async ({ owner, nowMs, untilMs, limit }) => {
    const claimed: ClaimedRun[] = [];
    for (const key of keys()) {
      const run = claimed.length < limit ? await store.run(key) : null;
      if (run === null || !(await isDue(store, run, nowMs))) continue;
      const one = await store.claim(key, { owner, nowMs, untilMs });
      if (one !== null) claimed.push(one);
    }
    return claimed;
  };
  const nextWakeAtMs: RunStore["nextWakeAtMs"] = async () => {
    const runs = await Promise.all(keys().map((key) => store.run(key)));
    const times = runs.flatMap((run) =>
      run === null || run.lease !== null || run.wakeAtMs === null ? [] : [run.wakeAtMs],
    );
    return times.length === 0 ? null : Math.min(...times);
  };
  const own: Partial<RunStore> = { claimDue, nextWakeAtMs };
  return {
    add: (runId) => void ids.add(runId),
    store: wrapStore(store, (name, method) => own[name] ?? method),
  };
}

/** The rule of `claimDue`: the run has no owner, and it is due or a message waits for it. */
async function isDue(store: RunStore, run: StoredRun, nowMs: number): Promise<boolean> {
  if (run.endedAtMs !== null || (run.lease !== null && run.lease.untilMs > nowMs)) return false;
  if (run.lease !== null || (run.wakeAtMs !== null && run.wakeAtMs <= nowMs)) return true;
  return (await store.posts(run.key)).length > 0;
}
