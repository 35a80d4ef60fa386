/**
 * Pages of runs, newest first.
 *
 * Every query walks one index in the order of the page and stops when the page is full: the index of the first label,
 * else of the queue, else of the workflow, else one index walk per status, which SQLite merges. Other conditions only filter.
 *
 * @module
 */
import { checkPageLimit, decodePageCursor, encodePageCursor, isEndedStatus, storedStatuses } from "millrace/engine";
import type { RunPage, RunQuery, StoredStatus } from "millrace/runtime";
import type { Database } from "./database.js";
import type { SqliteValue } from "./driver.js";
import { selectRuns, toRun } from "./stored-run.js";

/** SQL text with its values. */
interface Sql {
  readonly text: string;
  readonly values: readonly SqliteValue[];
}

/** At least half the number of statuses. */
const unionSize = 4;

export function listRuns(database: Database, query: RunQuery): RunPage {
  const limit = checkPageLimit(query.limit);
  // One more row than requested tells whether there is a next page.
  const page = pageSql(query, limit + 1);
  if (page === null) return { runs: [], cursor: null };
  const rows = database.sqlOnce(page.text).all(...page.values);
  const found = rows.slice(0, limit).map((values) => toRun(database.path, values));
  const last = rows.length > limit ? found.at(-1) : undefined;
  const cursor = last === undefined ? null : encodePageCursor({ createdAtMs: last.run.createdAtMs, id: last.id });
  return { runs: found.map(({ run }) => run), cursor };
}

// One index step per tenant, however many runs the tenant has.
const allTenants = `WITH RECURSIVE page(tenant) AS (
    SELECT min(tenant) FROM runs
    UNION ALL SELECT (SELECT min(q.tenant) FROM runs AS q WHERE q.tenant > page.tenant) FROM page WHERE page.tenant IS NOT NULL
  ) SELECT tenant FROM page WHERE tenant IS NOT NULL`;

export function listTenants(database: Database): string[] {
  return (database.sql(allTenants).all() as { readonly tenant: string }[]).map(({ tenant }) => tenant);
}

/** Returns `null` when no run can match. */
export function pageSql(query: RunQuery, limit: number): Sql | null {
  const wanted = wantedStatuses(query);
  if (wanted.length === 0) return null;
  const ids = idsSql(query, wanted);
  return {
    // CROSS JOIN makes SQLite start from the ids.
    text: selectRuns(
      `(${ids.text} ORDER BY created_at DESC, id DESC LIMIT ?) AS page CROSS JOIN runs AS r ON r.id = page.id`,
      "ORDER BY page.created_at DESC, page.id DESC",
    ),
    values: [...ids.values, limit],
  };
}

function wantedStatuses({ status, endedBeforeMs }: RunQuery): StoredStatus[] {
  const wanted = status === undefined ? storedStatuses : storedStatuses.filter((name) => status.includes(name));
  return wanted.filter((name) => endedBeforeMs === undefined || isEndedStatus(name));
}

function idsSql(query: RunQuery, wanted: readonly StoredStatus[]): Sql {
  const [label, ...otherLabels] = Object.entries(query.labels ?? {});
  const isAnyStatus = query.status === undefined && query.endedBeforeMs === undefined;
  if (label !== undefined) {
    return whereSql(
      "SELECT l.run AS id, l.created_at AS created_at FROM labels AS l CROSS JOIN runs AS q ON q.id = l.run",
      [
        { text: "l.tenant = ? AND l.name = ? AND l.value = ?", values: [query.tenant, ...label] },
        ...placeSql(query, "l.created_at", "l.run"),
        ...otherLabels.map((other) => ({ text: hasLabel, values: other })),
        ...(query.workflow === undefined ? [] : [{ text: "q.workflow = ?", values: [query.workflow] }]),
        ...queueSql(query),
        ...(isAnyStatus ? [] : [statusIn(wanted)]),
        ...endedSql(query),
      ],
    );
  }
  if (query.queue !== undefined) {
    return whereSql("SELECT q.id AS id, q.created_at AS created_at FROM runs AS q INDEXED BY runs_queue", [
      { text: "q.tenant = ?", values: [query.tenant] },
      ...queueSql(query),
      ...placeSql(query, "q.created_at", "q.id"),
      ...(query.workflow === undefined ? [] : [{ text: "q.workflow = ?", values: [query.workflow] }]),
      ...(isAnyStatus ? [] : [statusIn(wanted)]),
      ...endedSql(query),
    ]);
  }
  if (query.workflow !== undefined && query.status === undefined) {
    return whereSql("SELECT q.id AS id, q.created_at AS created_at FROM runs AS q INDEXED BY runs_workflow", [
      { text: "q.tenant = ? AND q.workflow = ?", values: [query.tenant, query.workflow] },
      ...placeSql(query, "q.created_at", "q.id"),
      ...endedSql(query),
    ]);
  }
  const walks = wanted.map((status) => statusSql(query, status));
  return unionSql(walks);
}

/** Nests the unions, which SQLite flattens: a Durable Object allows at most five terms in a row. */
function unionSql(walks: readonly Sql[]): Sql {
  const values = walks.flatMap((walk) => walk.values);
  const join = (some: readonly Sql[]): string => some.map(({ text }) => text).join(" UNION ALL ");
  if (walks.length <= unionSize) return { text: join(walks), values };
  const groups = [walks.slice(0, unionSize), walks.slice(unionSize)];
  return { text: groups.map((group) => `SELECT * FROM (${join(group)})`).join(" UNION ALL "), values };
}

const hasLabel = "EXISTS (SELECT 1 FROM labels AS o WHERE o.run = q.id AND o.name = ? AND o.value = ?)";

function statusSql(query: RunQuery, status: StoredStatus): Sql {
  return whereSql("SELECT q.id AS id, q.created_at AS created_at FROM runs AS q INDEXED BY runs_status", [
    { text: "q.tenant = ? AND q.status = ?", values: [query.tenant, status] },
    ...placeSql(query, "q.created_at", "q.id"),
    ...(query.workflow === undefined ? [] : [{ text: "q.workflow = ?", values: [query.workflow] }]),
    ...endedSql(query),
  ]);
}

function statusIn(wanted: readonly StoredStatus[]): Sql {
  return { text: `q.status IN (${wanted.map(() => "?").join(", ")})`, values: wanted };
}

function queueSql({ queue }: RunQuery): Sql[] {
  return queue === undefined ? [] : [{ text: "q.queue = ?", values: [queue] }];
}

function endedSql({ endedBeforeMs }: RunQuery): Sql[] {
  return endedBeforeMs === undefined ? [] : [{ text: "q.ended_at < ?", values: [endedBeforeMs] }];
}

function placeSql({ createdAfterMs, createdBeforeMs, cursor }: RunQuery, createdAt: string, id: string): Sql[] {
  const parts: Sql[] = [];
  if (createdAfterMs !== undefined) parts.push({ text: `${createdAt} > ?`, values: [createdAfterMs] });
  if (createdBeforeMs !== undefined) parts.push({ text: `${createdAt} < ?`, values: [createdBeforeMs] });
  if (cursor === undefined) return parts;
  const place = decodePageCursor(cursor);
  const text = `${createdAt} <= ? AND (${createdAt} < ? OR ${id} < ?)`;
  return [...parts, { text, values: [place.createdAtMs, place.createdAtMs, place.id] }];
}

function whereSql(select: string, conditions: readonly Sql[]): Sql {
  return {
    text: `${select} WHERE ${conditions.map(({ text }) => text).join(" AND ")}`,
    values: conditions.flatMap(({ values }) => values),
  };
}
