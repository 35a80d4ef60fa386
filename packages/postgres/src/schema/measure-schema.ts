/**
 * Statistics. A commit adds rows to `fresh_measures` and changes none: many processes end runs of one workflow at once, and would
 * wait for each other at its counts. Now and then one of them moves what is there into `measures`. Readers add both up.
 *
 * @module
 */

const columns = `
    series bigint NOT NULL,
    slot bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    range bigint NOT NULL, -- of durations
    count bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL`;

export const measureTables: string = `
  ALTER TABLE @runs ADD COLUMN failure text COLLATE "C"; -- kind of the failure that ended it
  CREATE INDEX runs_failure ON @runs (tenant, failure, created_at, id) WHERE failure IS NOT NULL;

  CREATE TABLE @series (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    tenant bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    workflow text COLLATE "C" NOT NULL,
    workflow_number bigint NOT NULL,
    step text,
    version text,
    failure text, -- and what is known of its kind
    text text,
    seen_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX series_kind ON @series (tenant, kind, workflow_number);

  CREATE TABLE @measures (${columns},
    PRIMARY KEY (series, slot, status, range)
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

  CREATE TABLE @fresh_measures (${columns}
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);

  CREATE FUNCTION @fold_measures() RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
      DELETE FROM @fresh_measures RETURNING *
    ), summed AS (
      SELECT series, slot, status, range, sum(count)::bigint AS count, min(first_at) AS first_at, max(last_at) AS last_at
      FROM taken GROUP BY 1, 2, 3, 4
    )
    INSERT INTO @measures AS m (series, slot, status, range, count, first_at, last_at)
    SELECT series, slot, status, range, count, first_at, last_at FROM summed
    ON CONFLICT (series, slot, status, range) DO UPDATE SET count = m.count + excluded.count,
      first_at = least(m.first_at, excluded.first_at), last_at = greatest(m.last_at, excluded.last_at)
  $$;

  -- A process may remember the number of a series for a day.
  CREATE FUNCTION @delete_measures(of_tenant bigint, before_slot bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    deleted bigint;
  BEGIN
    PERFORM @fold_measures();
    DELETE FROM @measures m USING @series s
      WHERE m.series = s.id AND m.slot < before_slot AND s.tenant = coalesce(of_tenant, s.tenant);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    DELETE FROM @series s WHERE s.seen_at < now() - interval '7 days'
      AND NOT EXISTS (SELECT 1 FROM @measures m WHERE m.series = s.id)
      AND NOT EXISTS (SELECT 1 FROM @fresh_measures m WHERE m.series = s.id);
    RETURN deleted;
  END $$;
`;

// The counts of a run's kind of failure know the step, for runs that failed before.
export const failedSteps: string = `
  ALTER TABLE @runs ADD COLUMN failed_step text COLLATE "C"; -- at which it failed or timed out
  UPDATE @runs r SET failed_step = s.step FROM @series s
    WHERE s.kind = 'failures' AND s.tenant = r.tenant AND s.failure = r.failure AND s.step IS NOT NULL;
  CREATE INDEX runs_failed_step ON @runs (tenant, failed_step, created_at, id) WHERE failed_step IS NOT NULL;
`;
