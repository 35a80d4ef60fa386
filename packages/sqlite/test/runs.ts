import type { ClaimedRun, CommitResult, RunCommit, RunKey, RunStore } from "millrace/runtime";

/** How long a process waits for a file that another one has locked: it may be stopped meanwhile, or get no processor. */
export const patienceMs = 60_000;

export const keyOf = (runId: string, tenant = "acme"): RunKey => ({ tenant, runId });

type Creation = NonNullable<RunCommit["create"]>;

/** Creates a run that `owner` holds, or nobody. */
export function creationOf(runId: string, owner: string | null, more: Partial<Creation> = {}): RunCommit {
  const lease = owner === null ? null : { owner, untilMs: 60_000 };
  const create: Creation = {
    workflow: "digest",
    input: "{}",
    code: "none",
    createdAtMs: 1_000,
    startAtMs: 1_000,
    labels: {},
    forkedFrom: null,
    queue: null,
    lease,
    ...more,
  };
  return { key: keyOf(runId), create, owner, epoch: owner === null ? 0 : 1 };
}

/** One batch with one tick. */
export function ticksOf(tick: number): NonNullable<RunCommit["ticks"]> {
  return { first: tick, last: tick, atMs: 1_000 + tick, text: `{"tick":${tick}}` };
}

export function commitOf({ run }: ClaimedRun, more: Partial<RunCommit>): RunCommit {
  return { key: run.key, owner: run.lease?.owner ?? null, epoch: run.epoch, ...more };
}

export const completed: Pick<RunCommit, "summary" | "release"> = {
  summary: { status: "completed", atMs: 5_000, wakeAtMs: null, outcome: "{}", waiting: null },
  release: true,
};

export async function commitOne(store: RunStore, commit: RunCommit): Promise<CommitResult["status"]> {
  const [result] = await store.commit([commit]);
  return (result as CommitResult).status;
}
