/**
 * The tables, version by version. `@name` represents a table, a sequence or a function in the schema of the store.
 *
 *     tenants 1-* runs 1-1 starts            what never changes, beside the row that every commit rewrites
 *     owners  1-*  |--* labels
 *                  |--* ticks, snapshots     the journal: a prefix may be pruned
 *                  |--* events               the stream
 *                  |--* posts                messages; open until they have a receipt
 *                  '--* blob_refs *-1 blobs  large texts, stored once
 *     queues  1-* queue_keys                 whose turn it is in a queue
 *      '-----* queue_starts               what rates count
 *     tenants 1-* series 1-* measures        statistics, which outlive their runs
 *     records                                of tenants, not of runs
 *     lanes   1-* batches                    one lane for each connection that writes: which batches were stored lately
 *
 * An index row takes 2,704 bytes, and three names of 1,000 characters are longer. So what is looked up by its name has a
 * SHA-256 of it as its key, which the client makes, and what is sorted by a name has a number from it.
 * A renewal rewrites the row of the owner and none of its runs: a lease ends at `owners.until_ms` where it was taken before
 * the last renewal, else at `runs.lease_until`.
 * What every commit writes is added and changes no row: old versions of a row that is changed again and again cannot be
 * cleaned away while a transaction is open anywhere on the server, and every look at the row walks them. So a commit with
 * ticks and events alone locks the row of its run and leaves it: the last tick and the last event are those of \`ticks\` and
 * \`events\` beyond what the row says.
 * A released migration never changes: a new one follows it.
 *
 * @module
 */
import { failedSteps, measureTables } from "./measure-schema.js";
import { queuedStatuses, queueFunctions, queueTables } from "./queue-schema.js";

const tables = `
  CREATE TABLE @tenants (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    name text NOT NULL
  );

  CREATE TABLE @owners (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    name text NOT NULL,
    renewals bigint NOT NULL DEFAULT 0,
    until_ms bigint, -- of the last renewal
    seen_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);

  CREATE TABLE @lanes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    writer text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE @batches (
    lane bigint NOT NULL,
    batch bigint NOT NULL,
    is_fence boolean NOT NULL DEFAULT false, -- it was not stored, and never will be
    PRIMARY KEY (lane, batch)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);

  CREATE SEQUENCE @run_numbers INCREMENT BY 256; -- each client takes a block
  CREATE SEQUENCE @queue_batches;
  CREATE TABLE @runs (
    id bigint PRIMARY KEY,
    key bytea NOT NULL,
    tenant bigint NOT NULL,
    run_id text NOT NULL,
    workflow text COLLATE "C" NOT NULL,
    workflow_number bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    ticks bigint NOT NULL, -- when the row was last written, like the next two: there may be more
    last_event bigint NOT NULL,
    updated_at bigint NOT NULL,
    created_at bigint NOT NULL,
    ended_at bigint,
    wake_at bigint,
    posted_at bigint, -- of the oldest open post
    owner bigint,
    renewal bigint NOT NULL, -- how often the owner had renewed its leases when it took this one
    lease_until bigint,
    waiting text,
    outcome text,
    queue bigint,
    queue_key bytea, -- SHA-256 of the key
    priority bigint,
    queued_at bigint, -- when it is to begin
    queue_batch bigint, -- of the statement that created it: numbers of runs say nothing between two processes
    place integer, -- 0: it waits in line; 1: it has one; NULL: it wants none yet
    rate_counted boolean NOT NULL DEFAULT false -- it counts no more against a rate
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
  CREATE UNIQUE INDEX runs_key ON @runs (key);
  CREATE INDEX runs_status ON @runs (tenant, status, created_at, id);
  CREATE INDEX runs_workflow ON @runs (tenant, workflow_number, created_at, id);
  CREATE INDEX runs_held ON @runs (owner, renewal, lease_until) WHERE owner IS NOT NULL;
  CREATE INDEX runs_held_posted ON @runs (owner) WHERE owner IS NOT NULL AND posted_at IS NOT NULL;
  CREATE INDEX runs_held_timer ON @runs (wake_at)
    WHERE owner IS NOT NULL AND ended_at IS NULL AND wake_at IS NOT NULL;
  CREATE INDEX runs_due ON @runs (wake_at, id)
    WHERE queue IS NULL AND owner IS NULL AND ended_at IS NULL AND wake_at IS NOT NULL;
  CREATE INDEX runs_posted ON @runs (posted_at, id)
    WHERE queue IS NULL AND owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL AND status <> 'scheduled';

  CREATE TABLE @starts (
    run bigint PRIMARY KEY,
    code text NOT NULL,
    start_at bigint NOT NULL,
    forked_run_id text,
    forked_tick bigint,
    queue_key text,
    labels text NOT NULL, -- as JSON: pairs of name and value
    input text NOT NULL
  );

  CREATE TABLE @labels (
    run bigint NOT NULL,
    number bigint NOT NULL, -- of name and value
    tenant bigint NOT NULL,
    created_at bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL
  );
  CREATE INDEX labels_run ON @labels (run);
  CREATE INDEX labels_value ON @labels (tenant, number, created_at, run);

  CREATE TABLE @ticks (
    run bigint NOT NULL,
    first bigint NOT NULL, -- two batches that follow the same tick have the same one
    last bigint NOT NULL,
    at_ms bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (run, first)
  );

  CREATE TABLE @events (
    run bigint NOT NULL,
    sequence bigint NOT NULL,
    at_ms bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (run, sequence)
  );

  CREATE TABLE @snapshots (
    run bigint NOT NULL,
    tick bigint NOT NULL,
    at_ms bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (run, tick)
  );

  CREATE SEQUENCE @post_positions;
  CREATE TABLE @posts (
    position bigint PRIMARY KEY,
    run bigint NOT NULL,
    key bytea, -- SHA-256 of the idempotency key
    idempotency_key text,
    at_ms bigint NOT NULL,
    text text NOT NULL,
    receipt text
  );
  CREATE INDEX posts_run ON @posts (run);
  CREATE UNIQUE INDEX posts_key ON @posts (run, key) WHERE key IS NOT NULL;
  CREATE INDEX posts_open ON @posts (run, position) WHERE receipt IS NULL;

  CREATE TABLE @blobs (
    hash text COLLATE "C" PRIMARY KEY,
    text text NOT NULL
  );

  CREATE TABLE @blob_refs (
    run bigint NOT NULL,
    blob text COLLATE "C" NOT NULL,
    by_run boolean NOT NULL, -- by what stays as long as the run
    by_tick bigint NOT NULL, -- the last tick of the latest batch that names it; -1: none does
    by_snapshot bigint NOT NULL, -- the tick of the latest snapshot that names it; -1: none does
    PRIMARY KEY (run, blob)
  );
  CREATE INDEX blob_refs_blob ON @blob_refs (blob);

  CREATE TABLE @records (
    key bytea PRIMARY KEY,
    scope bigint NOT NULL, -- number of tenant and kind
    tenant text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    text text NOT NULL
  );
  CREATE INDEX records_page ON @records (scope, left(id, 250));
`;

// A pipelined transaction fails as a whole when a statement finds other rows than the client expected.
const functions = `
  CREATE FUNCTION @expect(counted bigint, wanted bigint, code text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF counted IS DISTINCT FROM wanted THEN
      RAISE EXCEPTION 'millrace: % rows, not %', counted, wanted USING ERRCODE = code;
    END IF;
  END $$;

  -- Locked first and deleted by a second statement, which sees the references of everybody who had the lock before.
  CREATE FUNCTION @drop_blobs(gone text[]) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM 1 FROM @blobs WHERE hash = ANY(gone) ORDER BY hash FOR UPDATE;
    DELETE FROM @blobs b WHERE b.hash = ANY(gone) AND NOT EXISTS (SELECT 1 FROM @blob_refs f WHERE f.blob = b.hash);
  END $$;

  CREATE FUNCTION @prune(pruned bigint[], upto bigint[], below bigint[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    gone text[];
  BEGIN
    DELETE FROM @ticks t USING unnest(pruned, upto) AS i(run, tick) WHERE t.run = i.run AND t.first <= i.tick AND t.last <= i.tick;
    DELETE FROM @snapshots s USING unnest(pruned, below) AS i(run, tick) WHERE s.run = i.run AND s.tick < i.tick;
    WITH dropped AS (
      DELETE FROM @blob_refs f USING unnest(pruned, upto, below) AS i(run, tick, snapshot)
      WHERE f.run = i.run AND NOT f.by_run AND f.by_tick <= i.tick AND f.by_snapshot < i.snapshot RETURNING f.blob
    ) SELECT array_agg(DISTINCT blob) INTO gone FROM dropped;
    IF gone IS NOT NULL THEN PERFORM @drop_blobs(gone); END IF;
  END $$;

  -- Statements of a function see what was committed before each of them: also what a commit added that the caller of this one
  -- has waited for.
  CREATE FUNCTION @standing(of_run bigint, INOUT ticks bigint, INOUT last_event bigint, INOUT updated_at bigint) LANGUAGE plpgsql AS $$
  #variable_conflict use_variable
  DECLARE
    batch record;
  BEGIN
    SELECT t.last, t.at_ms INTO batch FROM @ticks t WHERE t.run = of_run AND t.first > ticks ORDER BY t.first DESC LIMIT 1;
    ticks := greatest(ticks, batch.last);
    updated_at := greatest(updated_at, batch.at_ms);
    last_event := greatest(last_event, (SELECT max(e.sequence) FROM @events e WHERE e.run = of_run AND e.sequence > last_event));
  END $$;
`;

const urgentPosts = `
  ALTER TABLE @runs ADD COLUMN urgent_at bigint; -- of the oldest open post that is urgent
  ALTER TABLE @posts ADD COLUMN urgent boolean NOT NULL DEFAULT false;
  CREATE INDEX runs_urgent ON @runs (urgent_at, id) WHERE urgent_at IS NOT NULL;
`;

const versions = `
  ALTER TABLE @runs ADD COLUMN version text COLLATE "C"; -- of the program that has continued the run last
  CREATE INDEX runs_version ON @runs (tenant, version, created_at, id) WHERE version IS NOT NULL;
`;

const inputs = `
  CREATE TABLE @input_values (
    run bigint NOT NULL,
    number bigint NOT NULL, -- of name and value
    tenant bigint NOT NULL,
    created_at bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL
  );
  CREATE INDEX input_values_run ON @input_values (run);
  CREATE INDEX input_values_value ON @input_values (tenant, number, created_at, run);

  CREATE OR REPLACE FUNCTION @delete_runs(deleted bigint[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    gone text[];
  BEGIN
    WITH dropped AS (DELETE FROM @blob_refs WHERE run = ANY(deleted) RETURNING blob)
      SELECT array_agg(DISTINCT blob) INTO gone FROM dropped;
    DELETE FROM @labels WHERE run = ANY(deleted);
    DELETE FROM @input_values WHERE run = ANY(deleted);
    DELETE FROM @ticks WHERE run = ANY(deleted);
    DELETE FROM @events WHERE run = ANY(deleted);
    DELETE FROM @snapshots WHERE run = ANY(deleted);
    DELETE FROM @posts WHERE run = ANY(deleted);
    DELETE FROM @starts WHERE run = ANY(deleted);
    DELETE FROM @runs WHERE id = ANY(deleted);
    IF gone IS NOT NULL THEN PERFORM @drop_blobs(gone); END IF;
  END $$;
`;

/** The first migration leads from nothing to version 1, the next from 1 to 2, and so on. */
export const migrations: readonly string[] = [
  tables + queueTables + functions,
  urgentPosts,
  versions,
  inputs,
  measureTables,
  queueFunctions + queuedStatuses,
  failedSteps,
];
