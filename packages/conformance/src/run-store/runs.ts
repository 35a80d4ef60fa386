/** Makes runs, commits and leases for the tests. Times are small integers, because a store has no clock of its own. */
import type {
  CommitResult,
  LeaseRequest,
  NewRunRecord,
  RunCommit,
  RunKey,
  RunStore,
  RunSummary,
  StoredEvent,
  StoredSnapshot,
  TickBatch,
} from "millrace/runtime";
import { expect } from "vitest";

/** When most runs of the tests are created. Their leases expire `leaseMs` later. */
export const startMs = 1_000_000;
export const leaseMs = 30_000;

/** What the owner of a run needs to know in order to commit. */
export interface HeldRun {
  readonly key: RunKey;
  readonly owner: string;
  readonly epoch: number;
}

export interface RunOptions extends Partial<NewRunRecord> {
  readonly tenant?: string;
  /** Holder of the run; `null` for nobody. @default "ann" */
  readonly owner?: string | null;
  readonly untilMs?: number;
}

export const keyOf = (runId: string, tenant = "acme"): RunKey => ({ tenant, runId });

export const leaseOf = (owner: string, nowMs: number = startMs): LeaseRequest => ({
  owner,
  nowMs,
  untilMs: nowMs + leaseMs,
});

export function creationOf(runId: string, options: RunOptions = {}): RunCommit {
  const { tenant, owner = "ann", untilMs = startMs + leaseMs, ...record } = options;
  const createdAtMs = record.createdAtMs ?? startMs;
  return {
    key: keyOf(runId, tenant),
    create: {
      workflow: "order",
      input: '{"n":1}',
      code: "code-1",
      createdAtMs,
      startAtMs: createdAtMs,
      labels: {},
      forkedFrom: null,
      ...record,
      lease: owner === null ? null : { owner, untilMs },
    },
    owner,
    epoch: owner === null ? 0 : 1,
  };
}

/** Creates a run, by default held by "ann". The result is only useful for commits when somebody holds the run. */
export async function createRun(store: RunStore, runId: string, options: RunOptions = {}): Promise<HeldRun> {
  const creation = creationOf(runId, options);
  await expectStored(store, creation);
  return { key: creation.key, owner: options.owner ?? "ann", epoch: creation.epoch };
}

export type CommitParts = Omit<RunCommit, "key" | "create" | "owner" | "epoch">;

export const commitOf = (run: HeldRun, parts: CommitParts): RunCommit => ({ ...run, ...parts });

export async function expectStored(store: RunStore, ...commits: readonly RunCommit[]): Promise<void> {
  expect(statusesOf(await store.commit(commits))).toEqual(commits.map(() => "stored"));
}

export const statusesOf = (results: readonly CommitResult[]): string[] => results.map((result) => result.status);

/** Returns the only result of a commit. */
export async function commitOne(store: RunStore, commit: RunCommit): Promise<CommitResult> {
  const results = await store.commit([commit]);
  expect(results).toHaveLength(1);
  return results[0] as CommitResult;
}

/** Claims a run that must be free. */
export async function claimRun(
  store: RunStore,
  key: RunKey,
  lease: Parameters<RunStore["claim"]>[1],
): Promise<HeldRun> {
  const claimed = await store.claim(key, lease);
  expect(claimed?.run.lease?.owner).toBe(lease.owner);
  return { key, owner: lease.owner, epoch: claimed?.run.epoch ?? -1 };
}

export const batchOf = (first: number, last: number = first, text = `[${first}]`): TickBatch => ({
  first,
  last,
  atMs: startMs + last,
  text,
});

export const eventOf = (sequence: number, text = `{"event":${sequence}}`): StoredEvent => ({
  sequence,
  atMs: startMs + sequence,
  text,
});

export const snapshotOf = (tick: number, text = `{"tick":${tick}}`): StoredSnapshot => ({
  tick,
  atMs: startMs + tick,
  text,
});

export const summaryOf = (status: RunSummary["status"], parts: Partial<RunSummary> = {}): RunSummary => ({
  status,
  atMs: startMs + 1,
  wakeAtMs: null,
  outcome: null,
  waiting: null,
  ...parts,
});

/** Parts of a commit that releases the lease; by default the run then waits for a post. */
export const released = (summary: RunSummary = summaryOf("waiting")): CommitParts => ({ summary, release: true });

/** Makes the run wait, held by nobody. */
export async function createWaiting(store: RunStore, runId: string, wakeAtMs: number | null = null): Promise<HeldRun> {
  const run = await createRun(store, runId);
  await expectStored(store, commitOf(run, released(summaryOf("waiting", { wakeAtMs }))));
  return run;
}

/** Makes the run end, held by nobody. */
export async function createEnded(store: RunStore, runId: string, options: RunOptions = {}): Promise<HeldRun> {
  const run = await createRun(store, runId, options);
  await expectStored(store, commitOf(run, released(summaryOf("completed", { outcome: '{"result":1}' }))));
  return run;
}

export const messageOf = (text: string, idempotencyKey: string | null = null): Parameters<RunStore["post"]>[1] => ({
  idempotencyKey,
  atMs: startMs,
  text,
});

/** Posts a message that must be stored, and returns its position. */
export async function postTo(store: RunStore, key: RunKey, message: Parameters<RunStore["post"]>[1]): Promise<number> {
  const result = await store.post(key, message);
  expect(result.status).toBe("stored");
  return result.status === "stored" ? result.position : -1;
}
