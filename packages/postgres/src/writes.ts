/**
 * The statements of a wave. All of them go out before the first answer comes: a row that is not as planned fails the
 * transaction through `@expect`.
 *
 * @module
 */
import { isEndedStatus, lastEventOf } from "millrace/engine";
import type { PostedMessage, RunCommit } from "millrace/runtime";
import { type RecentBlobs, sendBlobs } from "./blobs.js";
import { hashOf } from "./keys.js";
import { type Numbering, sendNewRuns } from "./new-runs.js";
import type { HeldRun, Taken, Wave } from "./plan.js";
import { sendRecords } from "./records.js";
import { asBatch } from "./lanes.js";
import { isLong, sendLongSummaries, short } from "./run-columns.js";

import { surprises } from "./store-error.js";
import type { LoneStatement, Transaction } from "./transaction.js";
import { bytes, numbers, texts } from "./values.js";

// `locked` locks the rows in the order of their numbers, which an UPDATE does not.
function changed(input: string, set: string, rest: string): LoneStatement {
  const next = input.split(", ").length + 9;
  const batch = asBatch(`$${next}`, `$${next + 1}`);
  const sql = (first: string, check: string): string => `WITH ${first}input AS (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
      ${input
        .split(", ")
        .map((column, index) => `$${index + 9}::${column.split(" ")[1]}[]`)
        .join(", ")})
      AS i(run, owner, epoch, before, last, at_ms, event, ${input
        .split(", ")
        .map((column) => column.split(" ")[0])
        .join(", ")})
  ), locked AS MATERIALIZED (
    SELECT id, owner, epoch, ticks FROM @runs WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE
  ), moved AS (
    UPDATE @runs r SET ticks = i.last, updated_at = greatest(r.updated_at, i.at_ms), last_event = greatest(r.last_event, i.event)${set}
    FROM input i JOIN locked l ON l.id = i.run AND l.owner = i.owner AND l.epoch = i.epoch AND l.ticks = i.before
    WHERE r.id = l.id RETURNING r.id
  )${rest} SELECT ${check}@expect((SELECT count(*) FROM moved), $8, '${surprises.state}')`;
  return { text: sql("", ""), asBatch: sql(`${batch.part}, `, `${batch.check}, `) };
}

// The hot path: a commit with one batch of ticks is this statement.
const advance = changed(
  "first bigint, text text",
  "",
  `, added AS (
    INSERT INTO @ticks (run, last, first, at_ms, text) SELECT run, last, first, at_ms, text FROM input WHERE text IS NOT NULL
  )`,
);
const settle = changed(
  "settles boolean, status text, ended_at bigint, wake_at bigint, outcome text, waiting text, releases boolean",
  `, status = CASE WHEN i.settles THEN i.status ELSE r.status END,
      ended_at = CASE WHEN i.settles THEN i.ended_at ELSE r.ended_at END,
      wake_at = CASE WHEN i.settles THEN i.wake_at ELSE r.wake_at END,
      outcome = CASE WHEN i.settles THEN i.outcome ELSE r.outcome END,
      waiting = CASE WHEN i.settles THEN i.waiting ELSE r.waiting END,
      owner = CASE WHEN i.releases THEN NULL ELSE r.owner END,
      lease_until = CASE WHEN i.releases THEN NULL ELSE r.lease_until END,
      place = CASE WHEN i.releases THEN NULL ELSE r.place END`,
  "",
);

/** A row with a text, of a table that keeps the first of two with the same key. */
interface TextRow {
  readonly key: number;
  readonly run: number;
  readonly atMs: number;
  readonly text: string;
}

const keepFirst = "ON CONFLICT DO NOTHING";
const addEvents = `INSERT INTO @events (sequence, run, at_ms, text)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) ${keepFirst}`;
const addEvent = `INSERT INTO @events (sequence, run, at_ms, text) VALUES ($1, $2, $3, $4) ${keepFirst}`;
const addSnapshots = `INSERT INTO @snapshots (tick, run, at_ms, text)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) ${keepFirst}`;
const addSnapshot = `INSERT INTO @snapshots (tick, run, at_ms, text) VALUES ($1, $2, $3, $4) ${keepFirst}`;
const addBatches = `INSERT INTO @ticks (run, last, first, at_ms, text)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])`;
const addBatch = "INSERT INTO @ticks (run, last, first, at_ms, text) VALUES ($1, $2, $3, $4, $5)";

// A second receipt for one post changes nothing: it is repeated after a crash and says the same.
const setReceipts = `UPDATE @posts p SET receipt = i.receipt
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS i(run, position, receipt)
  WHERE p.position = i.position AND p.run = i.run AND p.receipt IS NULL`;
const noteReceived = `UPDATE @runs r SET posted_at =
    (SELECT p.at_ms FROM @posts p WHERE p.run = r.id AND p.receipt IS NULL ORDER BY p.position LIMIT 1)
  WHERE r.id = ANY($1::bigint[])`;
// Of several messages with one key, the first one stays.
const addReceived = `INSERT INTO @posts (position, run, key, idempotency_key, at_ms, text, receipt)
  SELECT nextval('@post_positions'), run, key, name, 0, '', receipt
  FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[]) AS i(run, key, name, receipt) ${keepFirst}`;
const addPosts = `INSERT INTO @posts (position, run, key, idempotency_key, at_ms, text)
  SELECT nextval('@post_positions'), run, key, name, at_ms, text
  FROM (SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[], $5::text[])
    WITH ORDINALITY AS i(run, key, name, at_ms, text, place) ORDER BY place) p`;
const prune = "SELECT @prune($1::bigint[], $2::bigint[], $3::bigint[])";

export interface WriteSetup extends Numbering {
  /** Null: all texts of blobs are sent. */
  readonly recent: RecentBlobs | null;
}

export function sendWave(transaction: Transaction, { taken, records }: Wave, setup: WriteSetup): void {
  const created = taken.filter(({ before }) => before === null);
  const moved = taken.filter(({ before }) => before !== null);
  if (created.length > 0) sendNewRuns(transaction, created, setup);
  if (moved.length > 0) sendMoves(transaction, moved, setup.toServer);
  sendBatches(transaction, created, moved);
  const rows = (of: (commit: RunCommit, run: number) => TextRow[]): TextRow[] =>
    taken.flatMap(({ commit, after }) => of(commit, after.id));
  sendTexts(
    transaction,
    rows(({ events = [] }, run) => events.map(({ sequence, atMs, text }) => ({ key: sequence, run, atMs, text }))),
    { many: addEvents, one: addEvent },
  );
  sendTexts(
    transaction,
    rows(({ snapshot }, run) => (snapshot === undefined ? [] : [{ ...snapshot, key: snapshot.tick, run }])),
    { many: addSnapshots, one: addSnapshot },
  );
  sendBlobs(transaction, taken, setup.recent);
  sendRest(transaction, taken);
  if (records.length > 0) sendRecords(transaction, records);
}

function sendMoves(transaction: Transaction, moved: readonly Taken[], toServer: Numbering["toServer"]): void {
  const isSimple = ({ commit }: Taken): boolean => commit.summary === undefined && commit.release !== true;
  const simple = moved.filter(isSimple);
  if (simple.length > 0) {
    const batch = simple.map(({ commit: { ticks } }) => (ticks === undefined || isLong(ticks.text) ? null : ticks));
    transaction.send(advance, [
      ...placeOf(simple),
      numbers(batch.map((ticks) => ticks?.first ?? null)),
      texts(batch.map((ticks) => ticks?.text ?? null)),
    ]);
  }
  const settled = moved.filter((one) => !isSimple(one));
  if (settled.length > 0) sendSettled(transaction, settled, toServer);
}

/** The first eight values of {@link advance} and {@link settle}. */
function placeOf(taken: readonly Taken[]): unknown[] {
  const before = taken.map((one) => one.before as HeldRun);
  const times = taken.map(({ commit: { ticks, summary } }) => {
    if (ticks === undefined || summary === undefined) return ticks?.atMs ?? summary?.atMs ?? null;
    return Math.max(ticks.atMs, summary.atMs);
  });
  return [
    numbers(before.map(({ id }) => id)),
    numbers(before.map(({ owner }) => owner)),
    numbers(before.map(({ epoch }) => epoch)),
    numbers(before.map(({ ticks }) => ticks)),
    numbers(taken.map(({ after }) => after.ticks)),
    numbers(times),
    numbers(taken.map(({ commit }) => lastEventOf(commit))),
    taken.length,
  ];
}

function sendSettled(transaction: Transaction, settled: readonly Taken[], toServer: Numbering["toServer"]): void {
  const summaries = settled.map(({ commit }) => commit.summary ?? null);
  transaction.send(settle, [
    ...placeOf(settled),
    numbers(summaries.map((summary) => summary !== null)),
    texts(summaries.map((summary) => summary?.status ?? null)),
    numbers(summaries.map((summary) => (summary !== null && isEndedStatus(summary.status) ? summary.atMs : null))),
    numbers(summaries.map((summary) => wakeOf(summary, toServer))),
    texts(summaries.map((summary) => short(summary?.outcome))),
    texts(summaries.map((summary) => short(summary?.waiting))),
    numbers(settled.map(({ commit }) => commit.release === true)),
  ]);
  sendLongSummaries(transaction, settled);
}

function wakeOf(summary: RunCommit["summary"] | null, toServer: Numbering["toServer"]): number | null {
  const atMs = summary?.wakeAtMs ?? null;
  return atMs === null ? null : toServer(atMs);
}

function sendBatches(transaction: Transaction, created: readonly Taken[], moved: readonly Taken[]): void {
  const isAdded = ({ commit: { summary, release } }: Taken): boolean => summary === undefined && release !== true;
  // Those that `advance` has not stored.
  const left = [...created, ...moved.filter((one) => !isAdded(one) || isLong(one.commit.ticks?.text ?? ""))];
  const rows = left.flatMap(({ commit: { ticks }, after }) =>
    ticks === undefined ? [] : [{ ...ticks, run: after.id }],
  );
  for (const { run, last, first, atMs, text } of rows)
    if (isLong(text)) transaction.send(addBatch, [run, last, first, atMs, text]);
  const rest = rows.filter(({ text }) => !isLong(text));
  if (rest.length === 0) return;
  transaction.send(addBatches, [
    numbers(rest.map(({ run }) => run)),
    numbers(rest.map(({ last }) => last)),
    numbers(rest.map(({ first }) => first)),
    numbers(rest.map(({ atMs }) => atMs)),
    texts(rest.map(({ text }) => text)),
  ]);
}

function sendTexts(
  transaction: Transaction,
  rows: readonly TextRow[],
  statements: { readonly many: string; readonly one: string },
): void {
  for (const { key, run, atMs, text } of rows)
    if (isLong(text)) transaction.send(statements.one, [key, run, atMs, text]);
  const rest = rows.filter(({ text }) => !isLong(text));
  if (rest.length === 0) return;
  transaction.send(statements.many, [
    numbers(rest.map(({ key }) => key)),
    numbers(rest.map(({ run }) => run)),
    numbers(rest.map(({ atMs }) => atMs)),
    texts(rest.map(({ text }) => text)),
  ]);
}

function sendRest(transaction: Transaction, taken: readonly Taken[]): void {
  const receipts = new Map(
    taken.flatMap(({ commit, after }) =>
      // In reverse, so that the first of two for one post is kept.
      (commit.receipts ?? []).toReversed().map((one) => [`${after.id} ${one.position}`, { ...one, run: after.id }]),
    ),
  );
  if (receipts.size > 0) {
    const rows = [...receipts.values()];
    transaction.send(setReceipts, [
      numbers(rows.map(({ run }) => run)),
      numbers(rows.map(({ position }) => position)),
      texts(rows.map(({ receipt }) => receipt)),
    ]);
    transaction.send(noteReceived, [numbers([...new Set(rows.map(({ run }) => run))])]);
  }
  const received = taken.flatMap(({ commit, after }) =>
    (commit.received ?? []).map((one) => ({ ...one, run: after.id })),
  );
  if (received.length > 0) {
    transaction.send(addReceived, [
      numbers(received.map(({ run }) => run)),
      bytes(received.map(({ idempotencyKey }) => hashOf(idempotencyKey))),
      texts(received.map(({ idempotencyKey }) => idempotencyKey)),
      texts(received.map(({ receipt }) => receipt)),
    ]);
  }
  const posts = taken.flatMap(({ commit, after }) => (commit.posts ?? []).map((post) => ({ ...post, run: after.id })));
  if (posts.length > 0) sendPosts(transaction, posts);
  const pruned = taken.flatMap(({ commit, after }) =>
    commit.prune === undefined ? [] : [{ ...commit.prune, run: after.id }],
  );
  if (pruned.length === 0) return;
  transaction.send(prune, [
    numbers(pruned.map(({ run }) => run)),
    numbers(pruned.map(({ ticks }) => ticks)),
    numbers(pruned.map(({ snapshots }) => snapshots)),
  ]);
}

function sendPosts(transaction: Transaction, posts: readonly (PostedMessage & { readonly run: number })[]): void {
  transaction.send(addPosts, [
    numbers(posts.map(({ run }) => run)),
    bytes(posts.map(({ idempotencyKey }) => (idempotencyKey === null ? null : hashOf(idempotencyKey)))),
    texts(posts.map(({ idempotencyKey }) => idempotencyKey)),
    numbers(posts.map(({ atMs }) => atMs)),
    texts(posts.map(({ text }) => text)),
  ]);
  transaction.send(noteReceived, [numbers([...new Set(posts.map(({ run }) => run))])]);
}
