/**
 * The tables, version by version.
 *
 *     runs 1-1 starts            what never changes, beside the row that every commit rewrites
 *      |--* labels
 *      |--* input_values          what of an input its workflow indexes
 *      |--* ticks, snapshots     the journal: a prefix may be pruned
 *      |--* events               the stream
 *      |--* posts                messages; open until they have a receipt
 *      '--* blob_refs *-1 blobs  large texts, stored once
 *     run_series 1-* run_measures  statistics, which outlive their runs
 *     records                    of tenants, not of runs
 *     owners                     the processes behind the leases
 *     queue_keys                 whose turn it is in a queue
 *     queue_starts, _windows     what rates count
 *
 * A run has a small number here, `runs.id`, so that the keys of its many rows are short.
 * Ticks and events lie in the order in which they were written, and only their keys by run: a commit of a hundred runs then
 * fills a few pages at the end instead of rewriting one for each run.
 * A released migration never changes: a new one follows it.
 *
 * @module
 */

import { linedUpSql } from "millrace/engine";

/** "mlrc", written into the header of the file. */
export const applicationId = 0x6d6c7263;

const first = `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    workflow TEXT NOT NULL,
    status TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    ticks INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    wake_at INTEGER,
    posted_at INTEGER, -- of the oldest open post
    owner TEXT,
    lease_until INTEGER,
    queue TEXT,
    queue_key TEXT,
    priority INTEGER,
    queued_at INTEGER, -- when it is to begin
    place INTEGER, -- 0: it waits in line; 1: it has one; null: it wants none yet
    rate_counted INTEGER, -- 1: it counts no more against a rate
    waiting TEXT,
    outcome TEXT
  ) STRICT;
  CREATE UNIQUE INDEX runs_key ON runs (tenant, run_id);
  CREATE INDEX runs_status ON runs (tenant, status, created_at, id, ended_at, workflow);
  CREATE INDEX runs_workflow ON runs (tenant, workflow, created_at);
  CREATE INDEX runs_held ON runs (owner, lease_until) WHERE owner IS NOT NULL;
  CREATE INDEX runs_due ON runs (wake_at)
    WHERE queue IS NULL AND owner IS NULL AND ended_at IS NULL AND wake_at IS NOT NULL;
  CREATE INDEX runs_posted ON runs (posted_at)
    WHERE queue IS NULL AND owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL;
  CREATE INDEX runs_held_posted ON runs (owner) WHERE owner IS NOT NULL AND posted_at IS NOT NULL;
  CREATE INDEX runs_queue ON runs (tenant, queue, created_at) WHERE queue IS NOT NULL;
  CREATE INDEX runs_place ON runs (queue, queue_key) WHERE place = 1 AND ended_at IS NULL;
  CREATE INDEX runs_line ON runs (queue, queue_key, priority DESC, queued_at, id, workflow) WHERE place = 0;
  CREATE INDEX runs_line_again ON runs (queue, queue_key, priority DESC, queued_at, id, workflow)
    WHERE place = 0 AND rate_counted = 1;
  CREATE INDEX runs_queue_due ON runs (queue, wake_at)
    WHERE queue IS NOT NULL AND owner IS NULL AND ended_at IS NULL AND place IS NULL AND wake_at IS NOT NULL;
  CREATE INDEX runs_queue_posted ON runs (queue, posted_at)
    WHERE queue IS NOT NULL AND owner IS NULL AND ended_at IS NULL AND place IS NULL AND posted_at IS NOT NULL;

  CREATE TABLE starts (
    run INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    forked_run_id TEXT,
    forked_tick INTEGER,
    input TEXT NOT NULL
  ) STRICT;

  CREATE TABLE labels (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX labels_value ON labels (tenant, name, value, created_at, run);

  CREATE TABLE ticks (
    run INTEGER NOT NULL,
    last INTEGER NOT NULL,
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, last)
  ) STRICT;

  CREATE TABLE events (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;

  CREATE TABLE snapshots (
    run INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, tick)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE posts (
    position INTEGER PRIMARY KEY AUTOINCREMENT, -- a deleted position is never given again
    run INTEGER NOT NULL,
    idempotency_key TEXT,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    receipt TEXT
  ) STRICT;
  CREATE INDEX posts_run ON posts (run);
  CREATE UNIQUE INDEX posts_key ON posts (run, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX posts_open ON posts (run, position) WHERE receipt IS NULL;

  CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
  ) STRICT;

  CREATE TABLE blob_refs (
    run INTEGER NOT NULL,
    blob INTEGER NOT NULL,
    by_run INTEGER NOT NULL, -- 1: by what stays as long as the run
    by_tick INTEGER NOT NULL, -- the last tick of the latest batch that names it; -1: none does
    by_snapshot INTEGER NOT NULL, -- the tick of the latest snapshot that names it; -1: none does
    PRIMARY KEY (run, blob)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_refs_blob ON blob_refs (blob);

  CREATE TABLE records (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE queue_keys (
    queue TEXT NOT NULL,
    queue_key TEXT NOT NULL,
    turn INTEGER NOT NULL, -- the lowest is served next
    PRIMARY KEY (queue, queue_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX queue_keys_turn ON queue_keys (queue, turn);

  CREATE TABLE queue_starts (
    queue TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX queue_starts_at ON queue_starts (queue, at_ms);

  CREATE TABLE queue_windows (
    queue TEXT PRIMARY KEY,
    longest_ms INTEGER NOT NULL -- of all rates that processes had: younger starts are kept
  ) STRICT, WITHOUT ROWID;
`;

const urgentPosts = `
  ALTER TABLE runs ADD COLUMN urgent_at INTEGER; -- of the oldest open post that is urgent
  ALTER TABLE posts ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX runs_urgent ON runs (urgent_at) WHERE urgent_at IS NOT NULL;
`;

const versions = `
  ALTER TABLE runs ADD COLUMN version TEXT; -- of the program that has continued the run last
  CREATE INDEX runs_version ON runs (tenant, version, created_at) WHERE version IS NOT NULL;
`;

const inputs = `
  CREATE TABLE input_values (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name, value)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX input_values_value ON input_values (tenant, name, value, created_at, run);
`;

const statistics = `
  ALTER TABLE runs ADD COLUMN failure TEXT; -- kind of the failure that ended it
  CREATE INDEX runs_failure ON runs (tenant, failure, created_at) WHERE failure IS NOT NULL;

  CREATE TABLE run_series (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    workflow TEXT NOT NULL,
    step TEXT,
    version TEXT,
    failure TEXT, -- and what is known of its kind
    text TEXT
  ) STRICT;
  CREATE INDEX run_series_kind ON run_series (tenant, kind, workflow);

  CREATE TABLE run_measures (
    series INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    status TEXT NOT NULL,
    range INTEGER NOT NULL, -- of durations
    count INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (series, slot, status, range)
  ) STRICT, WITHOUT ROWID;
`;

// Runs in line, and those that no claim has put there yet.
const queuedStatuses = `
  UPDATE runs SET status = ${linedUpSql("status")}
    WHERE queue IS NOT NULL AND owner IS NULL AND ended_at IS NULL AND (place = 0 OR status = 'running');
`;

// The counts of a run's kind of failure know the step, for runs that failed before.
const failedSteps = `
  ALTER TABLE runs ADD COLUMN failed_step TEXT; -- at which it failed or timed out
  UPDATE runs SET failed_step = kinds.step
    FROM (SELECT failure, tenant, step FROM run_series WHERE kind = 'failures' GROUP BY tenant, failure) AS kinds
    WHERE runs.failure = kinds.failure AND runs.tenant = kinds.tenant;
  CREATE INDEX runs_failed_step ON runs (tenant, failed_step, created_at) WHERE failed_step IS NOT NULL;
`;

/** The first migration leads from an empty file to version 1, the next from 1 to 2, and so on. */
export const migrations: readonly string[] = [
  first,
  urgentPosts,
  versions,
  inputs,
  statistics,
  queuedStatuses,
  failedSteps,
];
