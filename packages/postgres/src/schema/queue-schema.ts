/**
 * Queues in the database: their tables, and the functions that assign places. What they decide is what
 * `choosePlaces` of the core does for the other stores; the conformance suite compares both with one model.
 *
 * A claim is one call, for the row of a queue stays locked until its transaction ends. Statements of a function see what was
 * committed before each of them, so a claim counts every place that was given before it had the lock.
 *
 * Order of locks: commits, posts and deletions lock runs, in the order of their numbers, and never a queue. A claim locks the
 * queues that it names, in the order of their numbers, and from then on waits for no lock: a run or an owner that another transaction
 * has locked is skipped, and what it held still counts. So waits for queues never form a circle.
 *
 * @module
 */
import { linedUpSql, takenSql } from "millrace/engine";
import { walking } from "../connection/transaction.js";
import { leaseUntil } from "../tables/stored-run.js";

export const queueTables: string = `
  CREATE TABLE @queues (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    name text NOT NULL,
    longest_ms bigint NOT NULL DEFAULT 0 -- of all rates that processes had: younger starts are kept
  ) WITH (fillfactor = 50);

  CREATE INDEX runs_queue ON @runs (tenant, queue, created_at, id) WHERE queue IS NOT NULL;
  CREATE INDEX runs_queue_held ON @runs (queue) WHERE queue IS NOT NULL AND owner IS NOT NULL AND ended_at IS NULL;
  CREATE INDEX runs_place ON @runs (queue, queue_key) WHERE place = 1 AND ended_at IS NULL;
  CREATE INDEX runs_line ON @runs (queue, queue_key, priority DESC, queued_at, queue_batch, id) WHERE place = 0;
  CREATE INDEX runs_line_again ON @runs (queue, queue_key, priority DESC, queued_at, queue_batch, id) WHERE place = 0 AND rate_counted;
  CREATE INDEX runs_queue_due ON @runs (queue, wake_at)
    WHERE queue IS NOT NULL AND owner IS NULL AND ended_at IS NULL AND place IS NULL AND wake_at IS NOT NULL;
  CREATE INDEX runs_queue_posted ON @runs (queue, posted_at) WHERE queue IS NOT NULL AND owner IS NULL
    AND ended_at IS NULL AND place IS NULL AND posted_at IS NOT NULL AND status <> 'scheduled';

  CREATE TABLE @queue_keys (
    queue bigint NOT NULL,
    queue_key bytea NOT NULL,
    turn bigint NOT NULL, -- the lowest is served next
    PRIMARY KEY (queue, queue_key)
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX queue_keys_turn ON @queue_keys (queue, turn);

  CREATE TABLE @queue_starts (
    queue bigint NOT NULL,
    at_ms bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX queue_starts_at ON @queue_starts (queue, at_ms);
`;

/** Adds the keys of the rows `source` (id, queue, queue_key, queue_batch, at) to the ring, in the order in which they came to want a place. */
const addKeys = (source: string): string => `INSERT INTO @queue_keys (queue, queue_key, turn)
  SELECT f.queue, f.queue_key, coalesce((SELECT max(k.turn) FROM @queue_keys k WHERE k.queue = f.queue), 0)
    + row_number() OVER (PARTITION BY f.queue ORDER BY f.at, f.queue_batch, f.id)
  FROM (SELECT DISTINCT ON (queue, queue_key) * FROM ${source} ORDER BY queue, queue_key, at, queue_batch, id) f
  ON CONFLICT DO NOTHING`;

const isLater = "r.queue = of_queue AND r.owner IS NULL AND r.ended_at IS NULL AND r.place IS NULL";
const isPosted = `${isLater} AND r.posted_at IS NOT NULL AND r.status <> 'scheduled'`;
const isPlaced = "r.queue = of_queue AND r.place = 1 AND r.ended_at IS NULL";
const isInLine = "r.queue = of_queue AND r.place = 0";
const ofWorkflows = "(only_workflows IS NULL OR r.workflow = ANY(only_workflows))";
const skipping = "FOR NO KEY UPDATE OF r SKIP LOCKED";

const nextKey = (more: string): string => `SELECT k.queue_key, k.turn INTO of_key, of_turn FROM @queue_keys k
  WHERE k.queue = of_queue AND k.turn > of_turn${more} ORDER BY k.turn LIMIT 1`;
const again = `SELECT r.queue_key FROM @runs r WHERE ${isInLine} AND r.rate_counted`;
const head = (more: string): string => `SELECT r.id, r.queued_at, r.rate_counted,
    least(r.wake_at, r.posted_at) AS at INTO first_run
  FROM @runs r WHERE ${isInLine} AND r.queue_key = of_key${more} AND ${ofWorkflows}
  ORDER BY r.priority DESC, r.queued_at, r.queue_batch, r.id LIMIT 1`;
/** Finds the next key after `of_turn`, and whether it is below its limit; its run is then in `first_run`. */
const nextInTurn = (lock: string): string => `
      IF may_start THEN ${nextKey("")};
      ELSE ${nextKey(` AND k.queue_key IN (${again})`)};
      END IF;
      EXIT WHEN NOT FOUND;
      CONTINUE WHEN key_limits[i] <= (SELECT count(*) FROM @runs r WHERE ${isPlaced} AND r.queue_key = of_key);
      IF may_start THEN ${head("")}${lock};
      ELSE ${head(" AND r.rate_counted")}${lock};
      END IF;`;

/** The lists have one item for each queue; `NULL` for no limit. */
const limits =
  "queue_ids bigint[], run_limits bigint[], key_limits bigint[], rate_limits bigint[], rate_windows bigint[]";
const variables = `
    of_queue bigint;
    of_key bytea;
    of_turn bigint;
    first_run record;
    may_start boolean;`;
// Each of them walks an index, whatever the tables looked like when the plan was made.
const options = walking.map((setting) => `SET ${setting} = off`).join(" ");

/** Functions of queues. The last migration that changes them contains them, and creates them in a new schema. */
export const queueFunctions: string = `
  -- Assigns places to runs, and their leases to the taker. Needs the locks of the queues. Without a taker: to look, and roll back.
  CREATE OR REPLACE FUNCTION @take_places(${limits}, only_workflows text[], now_ms bigint, wanted bigint, taker bigint, taken_until bigint)
  RETURNS TABLE (run bigint, due_at bigint) LANGUAGE plpgsql ${options} AS $$
  #variable_conflict use_column
  DECLARE${variables}
    free bigint;
    starts_left bigint;
  BEGIN
    -- Runs of others whose lease has expired have no owner, and stand in line.
    WITH expired AS MATERIALIZED (
      SELECT r.id, r.queue, r.queue_key, r.queue_batch, ${leaseUntil} AS at FROM @runs r JOIN @owners o ON o.id = r.owner
      WHERE r.queue = ANY(queue_ids) AND r.owner IS NOT NULL AND r.ended_at IS NULL AND ${leaseUntil} <= now_ms
        AND r.owner IS DISTINCT FROM taker
      ${skipping} FOR SHARE OF o SKIP LOCKED
    ), ended AS (
      UPDATE @runs r SET owner = NULL, lease_until = NULL, place = 0, status = ${linedUpSql("r.status")}
        WHERE r.id = ANY(ARRAY(SELECT id FROM expired))
    ) ${addKeys("expired")};

    FOR i IN 1 .. cardinality(queue_ids) LOOP
      of_queue := queue_ids[i];
      -- Runs that want a place by now stand in line.
      WITH woken AS MATERIALIZED (
        SELECT r.id, r.queue, r.queue_key, r.queue_batch, r.wake_at AS at FROM @runs r WHERE ${isLater} AND r.wake_at <= now_ms ${skipping}
      ), posted AS MATERIALIZED (
        SELECT r.id, r.queue, r.queue_key, r.queue_batch, least(r.posted_at, r.wake_at) AS at FROM @runs r WHERE ${isPosted} ${skipping}
      ), found AS MATERIALIZED (
        SELECT * FROM woken UNION ALL SELECT * FROM posted
      ), lined AS (
        UPDATE @runs r SET place = 0, status = ${linedUpSql("r.status")} WHERE r.id = ANY(ARRAY(SELECT id FROM found))
      ) ${addKeys("found")};

      free := wanted;
      IF run_limits[i] IS NOT NULL THEN
        free := least(wanted, run_limits[i] - (SELECT count(*) FROM @runs r WHERE ${isPlaced}));
      END IF;
      starts_left := NULL;
      IF rate_limits[i] IS NOT NULL THEN
        UPDATE @queues SET longest_ms = rate_windows[i] WHERE id = of_queue AND longest_ms < rate_windows[i];
        DELETE FROM @queue_starts
          WHERE queue = of_queue AND at_ms <= now_ms - (SELECT q.longest_ms FROM @queues q WHERE q.id = of_queue);
        -- One that lies further ahead than a whole window is of a clock that was set back since.
        starts_left := rate_limits[i] - (SELECT count(*) FROM @queue_starts s
          WHERE s.queue = of_queue AND s.at_ms > now_ms - rate_windows[i] AND s.at_ms < now_ms + rate_windows[i]);
      END IF;

      of_turn := 0;
      WHILE free > 0 LOOP
        may_start := starts_left IS NULL OR starts_left > 0;
        ${nextInTurn(` ${skipping}`)}
        IF first_run.id IS NOT NULL THEN
          UPDATE @runs r SET place = 1, rate_counted = true, status = ${takenSql("r.status")}, owner = taker, lease_until = taken_until, epoch = r.epoch + 1,
            renewal = CASE WHEN taker IS NULL THEN r.renewal ELSE (SELECT o.renewals FROM @owners o WHERE o.id = taker) END
            WHERE r.id = first_run.id;
          IF NOT first_run.rate_counted THEN
            INSERT INTO @queue_starts (queue, at_ms) VALUES (of_queue, now_ms);
            starts_left := starts_left - 1;
          END IF;
          free := free - 1;
          wanted := wanted - 1;
          run := first_run.id;
          due_at := first_run.at;
          RETURN NEXT;
        END IF;
        IF NOT EXISTS (SELECT 1 FROM @runs r WHERE ${isInLine} AND r.queue_key = of_key) THEN
          DELETE FROM @queue_keys WHERE queue = of_queue AND queue_key = of_key;
        ELSIF first_run.id IS NOT NULL THEN
          UPDATE @queue_keys SET turn = (SELECT max(k.turn) + 1 FROM @queue_keys k WHERE k.queue = of_queue)
            WHERE queue = of_queue AND queue_key = of_key;
        END IF;
      END LOOP;
    END LOOP;
  END $$;

  -- When the next run wants a place, and could get one.
  CREATE OR REPLACE FUNCTION @next_place_at(${limits}, only_workflows text[]) RETURNS bigint STABLE LANGUAGE plpgsql ${options} AS $$
  #variable_conflict use_column
  DECLARE${variables}
    opens_at bigint;
    found_at bigint;
  BEGIN
    FOR i IN 1 .. cardinality(queue_ids) LOOP
      of_queue := queue_ids[i];
      CONTINUE WHEN run_limits[i] <= (SELECT count(*) FROM @runs r WHERE ${isPlaced});
      found_at := least(found_at,
        (SELECT r.wake_at FROM @runs r WHERE ${isLater} AND r.wake_at IS NOT NULL AND ${ofWorkflows} ORDER BY r.wake_at LIMIT 1),
        (SELECT r.posted_at FROM @runs r WHERE ${isPosted} AND ${ofWorkflows} ORDER BY r.posted_at LIMIT 1));
      -- Null for a rate that is not used up.
      opens_at := NULL;
      IF rate_limits[i] IS NOT NULL THEN
        opens_at := (SELECT s.at_ms FROM @queue_starts s WHERE s.queue = of_queue
          ORDER BY s.at_ms DESC LIMIT 1 OFFSET rate_limits[i] - 1) + rate_windows[i];
      END IF;
      FOREACH may_start IN ARRAY CASE WHEN opens_at IS NULL THEN '{t}' ELSE '{t,f}' END::boolean[] LOOP
        of_turn := 0;
        LOOP
          ${nextInTurn("")}
          CONTINUE WHEN first_run.id IS NULL;
          found_at := least(found_at, CASE WHEN may_start THEN greatest(first_run.queued_at, opens_at) ELSE first_run.queued_at END);
          EXIT;
        END LOOP;
      END LOOP;
    END LOOP;
    RETURN found_at;
  END $$;
`;

/** Runs in line of a schema whose functions left their status as it was. */
export const queuedStatuses: string = `
  UPDATE @runs r SET status = ${linedUpSql("r.status")} WHERE r.queue IS NOT NULL AND r.owner IS NULL AND r.ended_at IS NULL
    AND (r.place = 0 OR r.status = 'running');
`;
