/** Rows, leases and times for the tests. Times are small integers, because a store does not read a clock. */
import type {
  LeaseRequest,
  PostedMessage,
  RunKey,
  RunSummary,
  StoredEvent,
  StoredSnapshot,
  TickBatch,
} from "millrace/runtime";

/** When most runs of the tests are created. Their leases expire `leaseMs` later. */
export const startMs = 1_000_000;
export const leaseMs = 30_000;

export const keyOf = (runId: string, tenant = "acme"): RunKey => ({ tenant, runId });

export const leaseOf = (owner: string, nowMs: number = startMs): LeaseRequest => ({
  owner,
  nowMs,
  untilMs: nowMs + leaseMs,
});

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

export const messageOf = (text: string, idempotencyKey: string | null = null): PostedMessage => ({
  idempotencyKey,
  atMs: startMs,
  text,
});
