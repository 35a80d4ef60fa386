import { firstStatus, isEndedStatus, lastEventOf } from "millrace/engine";
import type { Lease, NewRunRecord } from "millrace/runtime";
import type { Transaction } from "../connection/transaction.js";
import { hashOf, numberOf, runHash } from "../text/values.js";
import { additionTo, Columns, sendRows, short } from "./columns.js";
import type { Taken } from "./plan.js";

/** Numbers of long names, and times by the clock of the server. */
export interface Numbering {
  readonly tenantId: (name: string) => number;
  readonly queueId: (name: string) => number;
  readonly toServer: (atMs: number) => number;
}

const runs = new Columns(
  `id bigint, key bytea, tenant bigint, run_id text, workflow text, workflow_number bigint, status text, epoch bigint, \
ticks bigint, last_event bigint, created_at bigint, updated_at bigint, ended_at bigint, wake_at bigint, owner bigint, \
lease_until bigint, waiting text, outcome text, failure text, failed_step text, queue bigint, queue_key bytea, priority bigint, queued_at bigint, version text`,
);
const addRuns = `INSERT INTO @runs (${runs.names.join(", ")}, renewal, queue_batch)
  SELECT i.*, CASE WHEN i.owner IS NULL THEN 0 ELSE (SELECT o.renewals FROM @owners o WHERE o.id = i.owner) END,
    CASE WHEN i.queue IS NOT NULL THEN (SELECT nextval('@queue_batches')) END
  FROM ${runs.input}`;
const addStarts = additionTo(
  "starts",
  "run bigint, code text, start_at bigint, forked_run_id text, forked_tick bigint, queue_key text, labels text, input text",
);
const named = "run bigint, number bigint, tenant bigint, created_at bigint, name text, value text";
const addLabels = additionTo("labels", named);
const addInputValues = additionTo("input_values", named);

type Created = NewRunRecord & { readonly lease: Lease | null };
const createOf = ({ commit }: Taken): Created => commit.create as Created;

/** Fails the transaction when there is a run with the key of one of them. */
export function sendNewRuns(transaction: Transaction, created: readonly Taken[], numbering: Numbering): void {
  // Runs are sorted by key: two processes that create the same runs wait for each other, and do not deadlock.
  const sorted = created
    .map((taken) => rowOf(taken, numbering))
    .toSorted((left, right) => Buffer.compare(left.key, right.key));
  transaction.send(addRuns, runs.values(sorted));
  sendStarts(transaction, created);
  sendNamed(transaction, created, numbering);
}

function rowOf(taken: Taken, { tenantId, queueId, toServer }: Numbering) {
  const { commit, after } = taken;
  const { lease, createdAtMs, startAtMs, workflow, version, queue } = createOf(taken);
  const { summary, ticks } = commit;
  const wakeAtMs = summary === undefined ? startAtMs : summary.wakeAtMs;
  return {
    id: after.id,
    key: runHash(commit.key),
    tenant: tenantId(commit.key.tenant),
    run_id: commit.key.runId,
    workflow,
    workflow_number: numberOf(workflow),
    status: summary?.status ?? firstStatus(createOf(taken), lease),
    epoch: after.epoch,
    ticks: after.ticks,
    last_event: lastEventOf(commit),
    created_at: createdAtMs,
    updated_at: Math.max(createdAtMs, ticks?.atMs ?? createdAtMs, summary?.atMs ?? createdAtMs),
    ended_at: summary !== undefined && isEndedStatus(summary.status) ? summary.atMs : null,
    wake_at: wakeAtMs === null ? null : toServer(wakeAtMs),
    owner: after.owner,
    lease_until: lease === null || after.owner === null ? null : toServer(lease.untilMs),
    waiting: short(summary?.waiting),
    outcome: short(summary?.outcome),
    failure: summary?.failure,
    failed_step: summary?.failedStep,
    queue: queue === null ? null : queueId(queue.name),
    queue_key: queue === null ? null : hashOf(queue.key),
    priority: queue?.priority,
    queued_at: queue === null ? null : toServer(startAtMs),
    version,
  };
}

function sendStarts(transaction: Transaction, created: readonly Taken[]): void {
  const rows = created.map((taken) => {
    const { code, startAtMs, forkedFrom, queue, labels, input } = createOf(taken);
    return {
      run: taken.after.id,
      code,
      start_at: startAtMs,
      forked_run_id: forkedFrom?.runId,
      forked_tick: forkedFrom?.tick,
      queue_key: queue?.key,
      labels: JSON.stringify(Object.entries(labels)),
      input,
    };
  });
  sendRows(transaction, addStarts, rows);
}

/** Labels, and the values of inputs. */
function sendNamed(transaction: Transaction, created: readonly Taken[], { tenantId }: Numbering): void {
  const rowsOf = (pairsOf: (record: Created) => readonly (readonly [name: string, value: string])[]) =>
    created.flatMap((taken) => {
      const record = createOf(taken);
      const tenant = tenantId(taken.commit.key.tenant);
      const shared = { run: taken.after.id, tenant, created_at: record.createdAtMs };
      return pairsOf(record).map(([name, value]) => ({ ...shared, number: numberOf(name, value), name, value }));
    });
  const valuesOf = ({ index = {} }: Created) =>
    Object.entries(index).flatMap(([name, values]) => [...new Set(values)].map((value) => [name, value] as const));
  sendRows(
    transaction,
    addLabels,
    rowsOf(({ labels }) => Object.entries(labels)),
  );
  sendRows(transaction, addInputValues, rowsOf(valuesOf));
}
