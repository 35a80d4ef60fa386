/**
 * Accepts or refuses commits. This is the hot path: a commit with one batch of ticks is one UPDATE, which checks and
 * advances the run, and one INSERT.
 *
 * A refused commit has changed nothing, because all checks come before the first change; no savepoint is needed.
 *
 * @module
 */
import { firstStatus, isEndedStatus, lastEventOf } from "millrace/engine";
import type { CommitResult, NewRunRecord, RunCommit, RunKey, TickBatch } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { SqliteValue } from "../connection/driver.js";
import { addPost, storeReceipts, storeReceived } from "../tables/posts.js";
import { conflictsOf, writeRecords } from "../tables/records.js";
import { findRun } from "../tables/stored-run.js";
import { pruneBlobs, storeBlobs } from "./blobs.js";

const held = "SELECT id, ticks FROM runs WHERE tenant = ? AND run_id = ? AND owner = ? AND epoch = ?";
const whereHeld = "WHERE id = ? AND tenant = ? AND run_id = ? AND owner = ? AND epoch = ?";
const whereNext = `${whereHeld} AND ticks = ?`;
const advanceHeld = `UPDATE runs SET ticks = ?, updated_at = max(updated_at, ?), last_event = max(last_event, ?) ${whereNext}`;
const addTicks = "INSERT INTO ticks (run, last, first, at_ms, text) VALUES (?, ?, ?, ?, ?)";

const addRun = `INSERT INTO runs (tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, wake_at,
    owner, lease_until, queue, queue_key, priority, queued_at, version)
  VALUES (?, ?, ?, ?, ?, ?, -1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, run_id) DO NOTHING`;
const addStart =
  "INSERT INTO starts (run, code, start_at, forked_run_id, forked_tick, input) VALUES (?, ?, ?, ?, ?, ?)";
const addInputValue =
  "INSERT OR IGNORE INTO input_values (run, name, value, tenant, created_at) VALUES (?, ?, ?, ?, ?)";
const addLabel = "INSERT INTO labels (run, name, value, tenant, created_at) VALUES (?, ?, ?, ?, ?)";

// An event that is written again after a crash has the same content: the first one stays.
const forgetEvent = "DELETE FROM events WHERE run = ? AND sequence = ?";
const addEvent = "INSERT OR IGNORE INTO events (run, sequence, at_ms, text) VALUES (?, ?, ?, ?)";
const addSnapshot = "INSERT OR IGNORE INTO snapshots (run, tick, at_ms, text) VALUES (?, ?, ?, ?)";
const setLastEvent = "UPDATE runs SET last_event = max(last_event, ?) WHERE id = ?";

const summary = `status = ?, updated_at = max(updated_at, ?), last_event = max(last_event, ?), ended_at = ?, wake_at = ?,
  outcome = ?, waiting = ?, failure = ?, failed_step = ?`;
const noLease = "owner = NULL, lease_until = NULL, place = NULL";
const setSummary = `UPDATE runs SET ${summary} WHERE id = ?`;
const setSummaryAndRelease = `UPDATE runs SET ${summary}, ${noLease} WHERE id = ?`;
const setSummaryOfHeld = `UPDATE runs SET ${summary} ${whereHeld}`;
const setSummaryOfHeldAndRelease = `UPDATE runs SET ${summary}, ${noLease} ${whereHeld}`;
const advanceAndSummarize = `UPDATE runs SET ticks = ?, ${summary} ${whereNext}`;
const advanceSummarizeAndRelease = `UPDATE runs SET ticks = ?, ${summary}, ${noLease} ${whereNext}`;
const release = `UPDATE runs SET ${noLease} WHERE id = ?`;

const setVersion = "UPDATE runs SET version = ? WHERE id = ?";

const pruneTicks = "DELETE FROM ticks WHERE run = ? AND last <= ?";
const pruneSnapshots = "DELETE FROM snapshots WHERE run = ? AND tick < ?";

type Summary = NonNullable<RunCommit["summary"]>;

const stored: CommitResult = { status: "stored" };
const fenced: CommitResult = { status: "fenced" };

/** Commits of one transaction. */
export interface Commits {
  readonly database: Database;
  /** Numbers of runs, by the key of their commits: a row is found by its number in half the time. A number may be out of date. */
  readonly runIds: WeakMap<RunKey, number>;
  /** Numbers of the blobs that the transaction has found or added. */
  readonly blobIds: Map<string, number>;
}

export function applyCommit(commits: Commits, commit: RunCommit): CommitResult {
  if (commit.create !== undefined) return create(commits, commit, commit.create);
  const { database } = commits;
  const { ticks, records = [] } = commit;
  const conflicts = conflictsOf(database, records);
  if (conflicts.length > 0) {
    const run = findHeld(database, commit);
    const isNext = run !== null && (ticks === undefined || ticks.first === run.ticks + 1);
    return isNext ? { status: "conflict", records: conflicts } : fenced;
  }
  const id = writeHeld(commits, commit);
  if (id === undefined) return fenced;
  writeRecords(database, records);
  if (ticks !== undefined) storeTicks(database, id, ticks);
  storeRest(commits, id, commit);
  if (commit.summary === undefined) storeSummary(database, id, commit);
  return stored;
}

/** Returns `undefined` if the owner does not hold the run. */
function writeHeld({ database, runIds }: Commits, commit: RunCommit): number | undefined {
  const { key, ticks, summary: given } = commit;
  const known = runIds.get(key);
  const isWritten = ticks !== undefined || given !== undefined;
  if (known !== undefined && isWritten && updateHeld(database, commit, known)) return known;
  const id = findHeld(database, commit)?.id;
  if (id === undefined || (isWritten && (id === known || !updateHeld(database, commit, id)))) return undefined;
  runIds.set(key, id);
  return id;
}

/** The update of the row is the check, with ticks and at the end of a run. */
function updateHeld(database: Database, commit: RunCommit, id: number): boolean {
  const { key, owner, epoch, ticks, summary: given } = commit;
  const isReleased = commit.release === true;
  const held: SqliteValue[] = [id, key.tenant, key.runId, owner, epoch];
  const values = given === undefined ? [ticks?.atMs ?? 0, lastEventOf(commit)] : summaryValues(commit, given);
  if (ticks === undefined) {
    const text = isReleased ? setSummaryOfHeldAndRelease : setSummaryOfHeld;
    return Number(database.sql(text).run(...values, ...held).changes) === 1;
  }
  const withSummary = isReleased ? advanceSummarizeAndRelease : advanceAndSummarize;
  const text = given === undefined ? advanceHeld : withSummary;
  return Number(database.sql(text).run(ticks.last, ...values, ...held, ticks.first - 1).changes) === 1;
}

function findHeld(database: Database, commit: RunCommit): { readonly id: number; readonly ticks: number } | null {
  const { tenant, runId } = commit.key;
  const row = database.sql(held).get(tenant, runId, commit.owner, commit.epoch);
  return (row as { readonly id: number; readonly ticks: number } | undefined) ?? null;
}

function storeTicks(database: Database, run: number, { first, last, atMs, text }: TickBatch): void {
  database.sql(addTicks).run(run, last, first, atMs, text);
}

function create(commits: Commits, commit: RunCommit, record: NonNullable<RunCommit["create"]>): CommitResult {
  const { database } = commits;
  const { ticks, records = [] } = commit;
  const hasGap = ticks !== undefined && ticks.first !== 1;
  if (hasGap || records.length > 0) {
    const found = findRun(database, commit.key);
    if (found !== null) return { status: "exists", run: found.run };
    if (hasGap) return fenced;
    const conflicts = conflictsOf(database, records);
    if (conflicts.length > 0) return { status: "conflict", records: conflicts };
  }
  const id = insertRun(database, commit, record);
  if (id === null) {
    const found = findRun(database, commit.key);
    return found === null ? fenced : { status: "exists", run: found.run };
  }
  commits.runIds.set(commit.key, id);
  insertStart(database, id, record);
  for (const [name, value] of Object.entries(record.labels)) {
    database.sql(addLabel).run(id, name, value, commit.key.tenant, record.createdAtMs);
  }
  for (const [name, values] of Object.entries(record.index ?? {}))
    for (const value of values) database.sql(addInputValue).run(id, name, value, commit.key.tenant, record.createdAtMs);
  writeRecords(database, records);
  if (ticks !== undefined) storeTicks(database, id, ticks);
  storeRest(commits, id, commit);
  storeSummary(database, id, commit);
  return stored;
}

/** Returns `null` when a run with this key exists. */
function insertRun(database: Database, commit: RunCommit, record: NonNullable<RunCommit["create"]>): number | null {
  const { lease, createdAtMs, startAtMs, queue } = record;
  const { changes, lastInsertRowid } = database
    .sql(addRun)
    .run(
      commit.key.tenant,
      commit.key.runId,
      record.workflow,
      firstStatus(record, lease),
      lease === null ? 0 : 1,
      commit.ticks?.last ?? 0,
      createdAtMs,
      Math.max(createdAtMs, commit.ticks?.atMs ?? createdAtMs),
      startAtMs,
      lease?.owner ?? null,
      lease?.untilMs ?? null,
      queue?.name ?? null,
      queue?.key ?? null,
      queue?.priority ?? null,
      queue === null ? null : startAtMs,
      record.version ?? null,
    );
  return Number(changes) === 0 ? null : Number(lastInsertRowid);
}

function insertStart(database: Database, run: number, record: NewRunRecord): void {
  const { code, startAtMs, forkedFrom, input } = record;
  database.sql(addStart).run(run, code, startAtMs, forkedFrom?.runId ?? null, forkedFrom?.tick ?? null, input);
}

function storeRest({ database, blobIds }: Commits, id: number, commit: RunCommit): void {
  const { events, snapshot, version, prune } = commit;
  storeBlobs(database, blobIds, { run: id, commit });
  if (version !== undefined) database.sql(setVersion).run(version, id);
  if (events !== undefined) {
    for (const { sequence, atMs, text } of events) database.sql(addEvent).run(id, sequence, atMs, text);
    // A commit with ticks or a summary writes this column in another statement.
    const isWritten = (commit.ticks !== undefined && commit.create === undefined) || commit.summary !== undefined;
    if (!isWritten && events.length > 0) database.sql(setLastEvent).run(lastEventOf(commit), id);
  }
  for (const sequence of commit.forget ?? []) database.sql(forgetEvent).run(id, sequence);
  if (snapshot !== undefined) database.sql(addSnapshot).run(id, snapshot.tick, snapshot.atMs, snapshot.text);
  if (commit.receipts !== undefined) storeReceipts(database, id, commit.receipts);
  if (commit.received !== undefined) storeReceived(database, id, commit.received);
  for (const post of commit.posts ?? []) addPost(database, id, post);
  if (prune !== undefined) {
    database.sql(pruneTicks).run(id, prune.ticks);
    database.sql(pruneSnapshots).run(id, prune.snapshots);
    pruneBlobs(database, id, prune);
    blobIds.clear();
  }
}

function storeSummary(database: Database, id: number, commit: RunCommit): void {
  const isReleased = commit.release === true;
  if (commit.summary === undefined) {
    if (isReleased) database.sql(release).run(id);
    return;
  }
  const text = isReleased ? setSummaryAndRelease : setSummary;
  database.sql(text).run(...summaryValues(commit, commit.summary), id);
}

function summaryValues(
  commit: RunCommit,
  { status, atMs, wakeAtMs, outcome, waiting, failure, failedStep }: Summary,
): SqliteValue[] {
  return [
    status,
    Math.max(atMs, commit.ticks?.atMs ?? 0),
    lastEventOf(commit),
    isEndedStatus(status) ? atMs : null,
    wakeAtMs,
    outcome,
    waiting,
    failure ?? null,
    failedStep ?? null,
  ];
}
