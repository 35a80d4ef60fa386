import { isEndedStatus, lastEventOf } from "millrace/engine";
import type { Lease, NewRunRecord } from "millrace/runtime";
import { hashOf, numberOf, runHash } from "./keys.js";
import type { Taken } from "./plan.js";
import { sendLongSummaries, short } from "./run-columns.js";

import type { Transaction } from "./transaction.js";
import { bytes, longText, numbers, texts } from "./values.js";

/** Numbers of long names, and times by the clock of the server. */
export interface Numbering {
  readonly tenantId: (name: string) => number;
  readonly queueId: (name: string) => number;
  readonly toServer: (atMs: number) => number;
}

const addRuns = `INSERT INTO @runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event,
    created_at, updated_at, ended_at, wake_at, owner, renewal, lease_until, waiting, outcome, queue,
    queue_key, priority, queued_at, queue_batch)
  SELECT i.id, i.key, i.tenant, i.run_id, i.workflow, i.workflow_number, i.status, i.epoch, i.ticks, i.last_event,
    i.created_at, i.updated_at, i.ended_at, i.wake_at, i.owner,
    CASE WHEN i.owner IS NULL THEN 0 ELSE (SELECT o.renewals FROM @owners o WHERE o.id = i.owner) END,
    i.lease_until, i.waiting, i.outcome, i.queue, i.queue_key, i.priority, i.queued_at,
    CASE WHEN i.queue IS NOT NULL THEN (SELECT nextval('@queue_batches')) END
  FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[],
    $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
    $17::text[], $18::text[], $19::bigint[], $20::bytea[], $21::bigint[], $22::bigint[]) AS i(id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event,
    created_at, updated_at, ended_at, wake_at, owner, lease_until, waiting, outcome, queue,
    queue_key, priority, queued_at)`;
const addStarts = `INSERT INTO @starts (run, code, start_at, forked_run_id, forked_tick, queue_key, labels, input)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])`;
const addStart = `INSERT INTO @starts (run, code, start_at, forked_run_id, forked_tick, queue_key, labels, input)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
const addLabels = `INSERT INTO @labels (run, number, tenant, created_at, name, value)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])`;

type Created = NewRunRecord & { readonly lease: Lease | null };
const createOf = ({ commit }: Taken): Created => commit.create as Created;

/** Fails the transaction when there is a run with the key of one of them. */
export function sendNewRuns(transaction: Transaction, created: readonly Taken[], numbering: Numbering): void {
  // In the order of their keys: two processes that create the same runs then wait for each other, and do not deadlock.
  const sorted = created
    .map((taken) => ({ ...taken, hash: runHash(taken.commit.key), row: rowOf(taken, numbering) }))
    .toSorted((left, right) => Buffer.compare(left.hash, right.hash));
  const column = (of: (row: ReturnType<typeof rowOf>) => number | string | null): string =>
    numbers(sorted.map(({ row }) => of(row)));
  transaction.send(addRuns, [
    column(({ id }) => id),
    bytes(sorted.map(({ hash }) => hash)),
    column(({ tenant }) => tenant),
    texts(sorted.map(({ commit }) => commit.key.runId)),
    texts(sorted.map((one) => createOf(one).workflow)),
    column(({ workflow }) => workflow),
    texts(sorted.map(({ row }) => row.status)),
    column(({ epoch }) => epoch),
    column(({ ticks }) => ticks),
    column(({ lastEvent }) => lastEvent),
    column(({ createdAt }) => createdAt),
    column(({ updatedAt }) => updatedAt),
    column(({ endedAt }) => endedAt),
    column(({ wakeAt }) => wakeAt),
    column(({ owner }) => owner),
    column(({ leaseUntil }) => leaseUntil),
    texts(sorted.map(({ commit }) => short(commit.summary?.waiting))),
    texts(sorted.map(({ commit }) => short(commit.summary?.outcome))),
    column(({ queue }) => queue),
    bytes(sorted.map((one) => hashOfKey(createOf(one)))),
    column(({ priority }) => priority),
    column(({ queuedAt }) => queuedAt),
  ]);
  sendLongSummaries(transaction, created);
  sendStarts(transaction, created);
  sendLabels(transaction, created, numbering);
}

function hashOfKey({ queue }: Created): Buffer | null {
  return queue === null ? null : hashOf(queue.key);
}

function rowOf(taken: Taken, { tenantId, queueId, toServer }: Numbering) {
  const { commit, after } = taken;
  const { lease, createdAtMs, startAtMs, workflow, queue } = createOf(taken);
  const { summary, ticks } = commit;
  const wakeAtMs = summary === undefined ? startAtMs : summary.wakeAtMs;
  return {
    id: after.id,
    tenant: tenantId(commit.key.tenant),
    workflow: numberOf(workflow),
    status: summary?.status ?? (startAtMs > createdAtMs ? "scheduled" : "running"),
    epoch: after.epoch,
    ticks: after.ticks,
    lastEvent: lastEventOf(commit),
    createdAt: createdAtMs,
    updatedAt: Math.max(createdAtMs, ticks?.atMs ?? createdAtMs, summary?.atMs ?? createdAtMs),
    endedAt: summary !== undefined && isEndedStatus(summary.status) ? summary.atMs : null,
    wakeAt: wakeAtMs === null ? null : toServer(wakeAtMs),
    owner: after.owner,
    leaseUntil: lease === null || after.owner === null ? null : toServer(lease.untilMs),
    queue: queue === null ? null : queueId(queue.name),
    priority: queue?.priority ?? null,
    queuedAt: queue === null ? null : toServer(startAtMs),
  };
}

function sendStarts(transaction: Transaction, created: readonly Taken[]): void {
  const rows = created.map((taken) => {
    const { code, startAtMs, forkedFrom, queue, labels, input } = createOf(taken);
    const pairs = JSON.stringify(Object.entries(labels));
    return { run: taken.after.id, code, startAtMs, forkedFrom, key: queue?.key ?? null, pairs, input };
  });
  const isLong = ({ code, key, pairs, input }: (typeof rows)[number]): boolean =>
    code.length + (key?.length ?? 0) + pairs.length + input.length >= longText;
  for (const row of rows.filter(isLong)) {
    const { run, code, startAtMs, forkedFrom, key, pairs, input } = row;
    transaction.send(addStart, [run, code, startAtMs, forkedFrom?.runId, forkedFrom?.tick, key, pairs, input]);
  }
  const rest = rows.filter((row) => !isLong(row));
  if (rest.length === 0) return;
  transaction.send(addStarts, [
    numbers(rest.map(({ run }) => run)),
    texts(rest.map(({ code }) => code)),
    numbers(rest.map(({ startAtMs }) => startAtMs)),
    texts(rest.map(({ forkedFrom }) => forkedFrom?.runId ?? null)),
    numbers(rest.map(({ forkedFrom }) => forkedFrom?.tick ?? null)),
    texts(rest.map(({ key }) => key)),
    texts(rest.map(({ pairs }) => pairs)),
    texts(rest.map(({ input }) => input)),
  ]);
}

function sendLabels(transaction: Transaction, created: readonly Taken[], { tenantId }: Numbering): void {
  const rows = created.flatMap((taken) => {
    const { labels, createdAtMs } = createOf(taken);
    const shared = { run: taken.after.id, tenant: tenantId(taken.commit.key.tenant), createdAtMs };
    return Object.entries(labels).map(([name, value]) => ({ ...shared, name, value }));
  });
  if (rows.length === 0) return;
  transaction.send(addLabels, [
    numbers(rows.map(({ run }) => run)),
    numbers(rows.map(({ name, value }) => numberOf(name, value))),
    numbers(rows.map(({ tenant }) => tenant)),
    numbers(rows.map(({ createdAtMs }) => createdAtMs)),
    texts(rows.map(({ name }) => name)),
    texts(rows.map(({ value }) => value)),
  ]);
}
