import type { LeaseRequest, QueueTicket, RunCommit, RunKey, TickBatch } from "millrace/runtime";

export const keyOf = (runId: string, tenant = "acme"): RunKey => ({ tenant, runId });

export const leaseOf = (owner: string, nowMs: number = Date.now(), forMs = 600_000): LeaseRequest => ({
  owner,
  nowMs,
  untilMs: nowMs + forMs,
});

export const creationOf = (
  runId: string,
  owner: string | null,
  more: { input?: string; atMs?: number; queue?: QueueTicket } = {},
): RunCommit => {
  const atMs = more.atMs ?? Date.now();
  return {
    key: keyOf(runId),
    owner,
    epoch: owner === null ? 0 : 1,
    create: {
      workflow: "order",
      input: more.input ?? "{}",
      code: "code",
      createdAtMs: atMs,
      startAtMs: atMs,
      labels: {},
      forkedFrom: null,
      queue: more.queue ?? null,
      lease: owner === null ? null : { owner, untilMs: atMs + 600_000 },
    },
  };
};

export const batchOf = (tick: number, text = `"${tick}"`): TickBatch => ({ first: tick, last: tick, atMs: tick, text });

export const tickOf = (runId: string, owner: string, tick: number, epoch = 1): RunCommit => ({
  key: keyOf(runId),
  owner,
  epoch,
  ticks: batchOf(tick),
});
