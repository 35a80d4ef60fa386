/**
 * The statements of a wave. All of them go out before the first answer comes: a row that is not as planned fails the
 * transaction through `@expect`.
 *
 * @module
 */
import { isEndedStatus, lastEventOf } from "millrace/engine";
import type { RunCommit } from "millrace/runtime";
import { asBatch } from "../connection/lanes.js";
import type { LoneStatement, Transaction } from "../connection/transaction.js";
import { mismatchCodes } from "../store-error.js";
import { sendRecords } from "../tables/records.js";
import { lastTick } from "../tables/stored-run.js";
import { hashOf, numbers } from "../text/values.js";
import { type RecentBlobs, sendBlobs } from "./blobs.js";
import { additionTo, Columns, isLong, type RowOf, sendRows, short } from "./columns.js";
import { type CountRow, countColumns } from "./measures.js";
import { type Numbering, sendNewRuns } from "./new-runs.js";
import type { HeldRun, Taken, Wave } from "./plan.js";

const additionOfCounts = additionTo("fresh_measures", countColumns);
const place = "run bigint, owner bigint, epoch bigint, before bigint, last bigint, at_ms bigint, event bigint";
type Place = RowOf<typeof place>;

interface Change<Spec extends string> {
  readonly columns: Columns<`${typeof place}, ${Spec}`>;
  readonly statement: LoneStatement;
}

// `locked` locks the rows in the order of their numbers, which an UPDATE does not. Of two commits that follow the same tick, the
// second one waits here and does not see the ticks of the first: adding its own then fails, for they have the same `first`.
function changing<Spec extends string>(spec: Spec, change: string, { counts = false } = {}): Change<Spec> {
  const columns = new Columns(`${place}, ${spec}` as const);
  const next = columns.names.length + 1;
  const counted = new Columns(countColumns, next + 1);
  const counting = counts
    ? `, counted AS (INSERT INTO @fresh_measures (${counted.names.join(", ")}) SELECT * FROM ${counted.input})`
    : "";
  const last = counts ? next + counted.names.length : next;
  const batch = asBatch(`$${last + 1}`, `$${last + 2}`);
  const sql = (first: string, check: string): string => `WITH ${first}input AS (
    SELECT * FROM ${columns.input}
  ), locked AS MATERIALIZED (
    SELECT id, owner, epoch, ticks FROM @runs WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE
  ), held AS MATERIALIZED (
    SELECT i.* FROM input i JOIN locked r ON r.id = i.run AND r.owner = i.owner AND r.epoch = i.epoch AND ${lastTick} = i.before
  ), changed AS (${change})${counting} SELECT ${check}@expect((SELECT count(*) FROM held), $${next}, '${mismatchCodes.state}')`;
  return { columns, statement: { text: sql("", ""), asBatch: sql(`${batch.part}, `, `${batch.check}, `) } };
}

// The hot path: a commit with one batch of ticks is this statement, and changes no row. What its ticks count is a part of it: a
// statement of its own would need a transaction around both.
const advancing = (counts: boolean) =>
  changing(
    "first bigint, text text",
    "INSERT INTO @ticks (run, first, last, at_ms, text) SELECT run, first, last, at_ms, text FROM held WHERE text IS NOT NULL",
    { counts },
  );
const advance = advancing(false);
const advanceAndCount = advancing(true);
const settled = ["status", "ended_at", "wake_at", "outcome", "waiting", "failure", "failed_step"]
  .map((column) => `${column} = CASE WHEN i.settles THEN i.${column} ELSE r.${column} END`)
  .join(", ");
const released = ["owner", "lease_until", "place"]
  .map((column) => `${column} = CASE WHEN i.releases THEN NULL ELSE r.${column} END`)
  .join(", ");
const settle = changing(
  "settles boolean, status text, ended_at bigint, wake_at bigint, outcome text, waiting text, failure text, failed_step text, releases boolean",
  `UPDATE @runs r SET ticks = i.last, updated_at = greatest(r.updated_at, i.at_ms), last_event = greatest(r.last_event, i.event),
      ${settled}, ${released}
    FROM held i WHERE r.id = i.run`,
);

const setTexts = "UPDATE @runs SET outcome = $2, waiting = $3 WHERE id = $1";
const keepFirst = "ON CONFLICT DO NOTHING";
const addEvents = additionTo("events", "sequence bigint, run bigint, at_ms bigint, text text", keepFirst);
const addSnapshots = additionTo("snapshots", "tick bigint, run bigint, at_ms bigint, text text", keepFirst);
const addBatches = additionTo("ticks", "run bigint, first bigint, last bigint, at_ms bigint, text text");

const forgotten = new Columns("run bigint, sequence bigint");
const forget = `DELETE FROM @events e USING ${forgotten.input} WHERE e.run = i.run AND e.sequence = i.sequence`;
const given = new Columns("run bigint, position bigint, receipt text");
// A second receipt for one post changes nothing: it is repeated after a crash, with the same content.
const setReceipts = `UPDATE @posts p SET receipt = i.receipt FROM ${given.input}
  WHERE p.position = i.position AND p.run = i.run AND p.receipt IS NULL`;
const firstOpen = (more = ""): string =>
  `(SELECT p.at_ms FROM @posts p WHERE p.run = r.id AND p.receipt IS NULL${more} ORDER BY p.position LIMIT 1)`;
const noteReceived = `UPDATE @runs r SET posted_at = ${firstOpen()}, urgent_at = ${firstOpen(" AND p.urgent")}
  WHERE r.id = ANY($1::bigint[])`;
const received = new Columns("run bigint, key bytea, name text, receipt text");
// The first of several messages with one key stays.
const addReceived = `INSERT INTO @posts (position, run, key, idempotency_key, at_ms, text, receipt)
  SELECT nextval('@post_positions'), run, key, name, 0, '', receipt FROM ${received.input} ${keepFirst}`;
// Positions rise in the order of the messages.
const posted = new Columns("place bigint, run bigint, key bytea, name text, at_ms bigint, text text, urgent boolean");
const addPosts = `INSERT INTO @posts (position, run, key, idempotency_key, at_ms, text, urgent)
  SELECT nextval('@post_positions'), run, key, name, at_ms, text, urgent
  FROM (SELECT * FROM ${posted.input} ORDER BY place) p`;
const versions = new Columns("run bigint, version text");
const setVersions = `UPDATE @runs r SET version = i.version FROM ${versions.input} WHERE r.id = i.run`;
const pruning = new Columns("run bigint, ticks bigint, snapshots bigint");
const prune = "SELECT @prune($1::bigint[], $2::bigint[], $3::bigint[])";

export interface WriteSetup extends Numbering {
  /** Counts to add. */
  readonly counts: readonly CountRow[];
  /** Recently stored texts of blobs; with `null`, all are sent. */
  readonly recent: RecentBlobs | null;
}

export function sendWave(transaction: Transaction, { taken, records }: Wave, setup: WriteSetup): void {
  const created = taken.filter(({ before }) => before === null);
  const moved = taken.filter(({ before }) => before !== null);
  if (created.length > 0) sendNewRuns(transaction, created, setup);
  const isCounted = sendMoves(transaction, moved, setup);
  sendLongSummaries(transaction, taken);
  if (!isCounted) sendRows(transaction, additionOfCounts, setup.counts);
  sendBatches(transaction, created, moved);
  const events = taken.flatMap(({ commit, after }) =>
    (commit.events ?? []).map(({ sequence, atMs, text }) => ({ sequence, run: after.id, at_ms: atMs, text })),
  );
  const snapshots = taken.flatMap(({ commit: { snapshot }, after }) =>
    snapshot === undefined ? [] : [{ tick: snapshot.tick, run: after.id, at_ms: snapshot.atMs, text: snapshot.text }],
  );
  sendRows(transaction, addEvents, events);
  sendRows(transaction, addSnapshots, snapshots);
  sendBlobs(transaction, taken, setup.recent);
  sendRest(transaction, taken);
  if (records.length > 0) sendRecords(transaction, records);
}

/** Whether {@link advance} is all that it needs. Where ticks go, the row keeps the number of the last one. */
function isSimple({ commit: { summary, release, prune: pruned } }: Taken): boolean {
  return summary === undefined && release !== true && pruned === undefined;
}

/** Returns whether the counts are among what was sent. */
function sendMoves(transaction: Transaction, moved: readonly Taken[], { counts, toServer }: WriteSetup): boolean {
  const simple = moved.filter(isSimple);
  if (simple.length > 0) {
    const rows = simple.map((one) => {
      const { ticks } = one.commit;
      const added = ticks === undefined || isLong(ticks.text) ? null : ticks;
      return Object.assign(placeOf(one), { first: added?.first, text: added?.text });
    });
    const values = [...advance.columns.values(rows), rows.length];
    if (counts.length === 0) transaction.send(advance.statement, values);
    else transaction.send(advanceAndCount.statement, [...values, ...additionOfCounts.columns.values(counts)]);
  }
  const settled = moved.filter((one) => !isSimple(one));
  if (settled.length > 0) sendSettled(transaction, settled, toServer);
  return simple.length > 0;
}

// Returns the place of a run. It is completed with `Object.assign`: a spread of it takes longer than all arrays of a commit.
function placeOf({ commit, before, after }: Taken): Place {
  const { id, owner, epoch, ticks } = before as HeldRun;
  const times = [commit.ticks?.atMs, commit.summary?.atMs].filter((atMs) => atMs !== undefined);
  const at_ms = times.length === 0 ? null : Math.max(...times);
  return { run: id, owner, epoch, before: ticks, last: after.ticks, at_ms, event: lastEventOf(commit) };
}

function sendSettled(transaction: Transaction, settled: readonly Taken[], toServer: Numbering["toServer"]): void {
  const rows = settled.map((one) => {
    const { summary, release } = one.commit;
    return Object.assign(placeOf(one), {
      settles: summary !== undefined,
      status: summary?.status,
      ended_at: summary !== undefined && isEndedStatus(summary.status) ? summary.atMs : null,
      wake_at: wakeOf(summary, toServer),
      outcome: short(summary?.outcome),
      waiting: short(summary?.waiting),
      failure: summary?.failure,
      failed_step: summary?.failedStep,
      releases: release === true,
    });
  });
  transaction.send(settle.statement, [...settle.columns.values(rows), rows.length]);
}

function sendLongSummaries(transaction: Transaction, taken: readonly Taken[]): void {
  for (const { commit, after } of taken) {
    const { outcome = null, waiting = null } = commit.summary ?? {};
    if (isLong(outcome ?? "") || isLong(waiting ?? "")) transaction.send(setTexts, [after.id, outcome, waiting]);
  }
}

function wakeOf(summary: RunCommit["summary"], toServer: Numbering["toServer"]): number | null {
  const atMs = summary?.wakeAtMs ?? null;
  return atMs === null ? null : toServer(atMs);
}

function sendBatches(transaction: Transaction, created: readonly Taken[], moved: readonly Taken[]): void {
  // Batches that `advance` did not store.
  const left = [...created, ...moved.filter((one) => !isSimple(one) || isLong(one.commit.ticks?.text ?? ""))];
  const rows = left.flatMap(({ commit: { ticks }, after }) =>
    ticks === undefined
      ? []
      : [{ run: after.id, last: ticks.last, first: ticks.first, at_ms: ticks.atMs, text: ticks.text }],
  );
  sendRows(transaction, addBatches, rows);
}

function sendRest(transaction: Transaction, taken: readonly Taken[]): void {
  const receipts = new Map(
    taken.flatMap(({ commit, after }) =>
      // The reversed order keeps the first of two receipts for one post.
      (commit.receipts ?? []).toReversed().map((one) => [`${after.id} ${one.position}`, { ...one, run: after.id }]),
    ),
  );
  if (receipts.size > 0) {
    const rows = [...receipts.values()];
    transaction.send(setReceipts, given.values(rows));
    sendReceived(transaction, rows);
  }
  const gone = taken.flatMap(({ commit, after }) =>
    (commit.forget ?? []).map((sequence) => ({ run: after.id, sequence })),
  );
  if (gone.length > 0) transaction.send(forget, forgotten.values(gone));
  const messages = taken.flatMap(({ commit, after }) =>
    (commit.received ?? []).map(({ idempotencyKey: name, receipt }) => {
      return { run: after.id, key: hashOf(name), name, receipt };
    }),
  );
  if (messages.length > 0) transaction.send(addReceived, received.values(messages));
  sendPosts(transaction, taken);
  const changed = taken.flatMap(({ commit: { version }, after }) =>
    version === undefined ? [] : [{ run: after.id, version }],
  );
  if (changed.length > 0) transaction.send(setVersions, versions.values(changed));
  const pruned = taken.flatMap(({ commit: { prune: upTo }, after }) =>
    upTo === undefined ? [] : [{ ...upTo, run: after.id }],
  );
  if (pruned.length > 0) transaction.send(prune, pruning.values(pruned));
}

function sendPosts(transaction: Transaction, taken: readonly Taken[]): void {
  const posts = taken.flatMap(({ commit, after }) => (commit.posts ?? []).map((post) => ({ ...post, run: after.id })));
  if (posts.length === 0) return;
  const rows = posts.map(({ run, idempotencyKey: name, atMs, text, urgent = false }, place) => {
    return { place, run, key: name === null ? null : hashOf(name), name, at_ms: atMs, text, urgent };
  });
  transaction.send(addPosts, posted.values(rows));
  sendReceived(transaction, rows);
}

function sendReceived(transaction: Transaction, rows: readonly { readonly run: number }[]): void {
  transaction.send(noteReceived, [numbers([...new Set(rows.map(({ run }) => run))])]);
}
