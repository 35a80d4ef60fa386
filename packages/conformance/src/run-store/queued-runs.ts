/** Puts runs into queues, claims and releases them, for the tests. */
import type { ClaimedRun, DueRuns, QueueLimits, QueueTicket, RunStore } from "millrace/runtime";
import { keyOf, leaseOf, startMs, summaryOf } from "./rows.js";
import { creationOf, type HeldRun, type RunOptions, type Runs, released } from "./runs.js";

export const limitsOf = (parts: Partial<QueueLimits> = {}): QueueLimits => ({
  name: "llm",
  concurrency: null,
  perKey: null,
  rate: null,
  ...parts,
});

export const ticketOf = (parts: Partial<QueueTicket> = {}): QueueTicket => ({
  name: "llm",
  key: "",
  priority: 0,
  ...parts,
});

type Enqueued = RunOptions & Partial<QueueTicket>;

export const enqueue = (runs: Runs, runId: string, { name = "llm", key = "", priority = 0, ...run }: Enqueued = {}) =>
  runs.create(runId, { owner: null, ...run, queue: { name, key, priority } });

export async function enqueueAll(runs: Runs, key: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `${key}${index}`);
  await runs.commitAll(...ids.map((id) => creationOf(id, { owner: null, queue: ticketOf({ key }) })));
}

interface Claiming {
  readonly nowMs?: number;
  readonly limit?: number;
  readonly owner?: string;
}

/** Ids of what is taken of the queue. */
export async function take(store: RunStore, limits: QueueLimits, claiming: Claiming = {}): Promise<string[]> {
  return idsOf(await claimDue(store, { queues: [limits] }, claiming));
}

export function claimDue(store: RunStore, of: DueRuns, { nowMs = startMs, limit = 100, owner = "due" }: Claiming = {}) {
  return store.claimDue({ ...leaseOf(owner, nowMs), ...of, limit });
}

export const idsOf = (claimed: readonly ClaimedRun[]): string[] => claimed.map(({ run }) => run.key.runId);

export async function heldOf(store: RunStore, runId: string): Promise<HeldRun> {
  const run = await store.run(keyOf(runId));
  return { key: keyOf(runId), owner: run?.lease?.owner ?? "none", epoch: run?.epoch ?? -1 };
}

/** Its owner releases it; by default it then waits for a post. */
export async function releaseRun(runs: Runs, runId: string, summary = summaryOf("waiting")): Promise<void> {
  await runs.commit(await heldOf(runs.store, runId), released(summary));
}
