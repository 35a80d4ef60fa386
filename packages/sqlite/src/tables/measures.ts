/** Counts of what has ended, by series and time slot. */
import { type CountedMeasures, kindOf, plainSql, type Sql, sql, statisticsRowOf } from "millrace/engine";
import type { StatisticsQuery, StatisticsRow } from "millrace/runtime";
import type { Database } from "../connection/database.js";

const addSeries = `INSERT INTO run_series (key, tenant, kind, workflow, step, version, failure, text)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const addCount = `INSERT INTO run_measures (series, slot, status, range, count, first_at, last_at)
  SELECT id, ?, ?, ?, ?, ?, ? FROM run_series WHERE key = ?
  ON CONFLICT (series, slot, status, range) DO UPDATE SET count = count + excluded.count,
    first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`;
const removeCounts = `DELETE FROM run_measures WHERE slot < ? AND series IN (SELECT id FROM run_series WHERE tenant = coalesce(?, tenant))`;
const removeSeries =
  "DELETE FROM run_series WHERE NOT EXISTS (SELECT 1 FROM run_measures AS m WHERE m.series = run_series.id)";

/** Needs a transaction. */
export function addMeasures(database: Database, counted: readonly CountedMeasures[]): void {
  for (const { series, slot, status, range, count, firstAtMs, lastAtMs } of counted) {
    const add = () => database.sql(addCount).run(slot, status, range, count, firstAtMs, lastAtMs, series.key);
    if (Number(add().changes) > 0) continue;
    const { key, tenant, workflow, step, version, failure } = series;
    const kind = kindOf(series);
    database.sql(addSeries).run(key, tenant, kind, workflow, step, version, failure?.id ?? null, failure?.text ?? null);
    add();
  }
}

/** Needs a transaction. */
export function deleteMeasures(database: Database, tenant: string | null, slot: number): number {
  const { changes } = database.sql(removeCounts).run(slot, tenant);
  database.sql(removeSeries).run();
  return Number(changes);
}

/** The range of one series after the other: the primary key walks them in order. */
function rowsSql({ tenant, kind, workflows, fromSlot, toSlot, slots }: StatisticsQuery): Sql {
  const ofWorkflows =
    workflows === undefined
      ? plainSql("")
      : sql`AND s.workflow IN (SELECT value FROM json_each(${JSON.stringify(workflows)}))`;
  return sql`SELECT s.workflow, s.step, s.version, s.failure, s.text, c.*
    FROM (SELECT m.series, CAST((m.slot - ${fromSlot}) / ${slots} AS INTEGER) AS period, m.status, m.range, sum(m.count) AS count,
        min(m.first_at) AS first_at, max(m.last_at) AS last_at
      FROM run_series AS s CROSS JOIN run_measures AS m ON m.series = s.id AND m.slot >= ${fromSlot} AND m.slot < ${toSlot}
      WHERE s.tenant = ${tenant} AND s.kind = ${kind} ${ofWorkflows} GROUP BY 1, 2, 3, 4) AS c
    CROSS JOIN run_series AS s ON s.id = c.series`;
}

export function readMeasures(database: Database, query: StatisticsQuery): StatisticsRow[] {
  if (query.workflows?.length === 0) return [];
  const { text, values } = rowsSql(query).render(() => "?");
  return database
    .sqlOnce(text)
    .all(...values)
    .map(statisticsRowOf);
}
