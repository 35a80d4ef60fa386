/**
 * Pages of runs, newest first.
 *
 * Every query walks one index in the order of the page and stops when the page is full: the index of the first label,
 * else of the queue, else of the workflow, else one index walk per status, which SQLite merges. Other conditions only filter.
 *
 * @module
 */
import {
  decodePageCursor,
  encodePageCursor,
  matchesSearch,
  type PagePosition,
  pageSize,
  searchPatterns,
  searchWindow,
  wantedStatuses,
} from "millrace/engine";
import type { CountQuery, RunCount, RunPage, RunQuery, StoredStatus } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { SqliteValue } from "../connection/driver.js";
import { selectRuns, toRun } from "./stored-run.js";

/** SQL text with its values. */
interface Sql {
  readonly text: string;
  readonly values: readonly SqliteValue[];
}

/** At least half the number of statuses. */
const unionSize = 4;

export function listRuns(database: Database, query: RunQuery): RunPage {
  const limit = pageSize(query.limit);
  const { search, order } = query;
  const end = search === undefined ? undefined : windowEnd(database, query);
  // Reading one more row than requested shows whether there is a next page.
  const page = pageSql(query, limit + 1, end);
  if (page === null) return { runs: [], cursor: null };
  const rows = database.sqlOnce(page.text).all(...page.values);
  const read = rows.slice(0, limit).map((values) => toRun(database.path, values));
  const found = search === undefined ? read : read.filter(({ run }) => matchesSearch(run, search));
  const last = rows.length > limit ? read.at(-1) : undefined;
  const place = last === undefined ? end : { createdAtMs: last.run.createdAtMs, id: last.id };
  return { runs: found.map(({ run }) => run), cursor: place === undefined ? null : encodePageCursor(place, order) };
}

/** The last run that one page of a search looks at; undefined: all that there are. */
function windowEnd(database: Database, { search: _, ...query }: RunQuery): PagePosition | undefined {
  const ids = idsOfPage(query);
  if (ids === null) return undefined;
  const text = `${ids.text} LIMIT 2 OFFSET ?`;
  const rows = database.sqlOnce(text).all(...ids.values, searchWindow - 1) as {
    readonly id: number;
    readonly created_at: number;
  }[];
  const [last, more] = rows;
  return last === undefined || more === undefined ? undefined : { createdAtMs: last.created_at, id: last.id };
}

/** A covering walk of one index. */
export function countRuns(database: Database, { tenant, workflow, labels = {} }: CountQuery): RunCount[] {
  const wanted = Object.entries(labels);
  if (wanted.length === 0) return countAll(database, tenant, workflow);
  const [label, ...others] = wanted as [[string, string], ...[string, string][]];
  const ofLabel = whereSql(
    "SELECT q.workflow, q.status, count(*) AS count FROM labels AS l CROSS JOIN runs AS q ON q.id = l.run",
    [
      { text: "l.tenant = ? AND l.name = ? AND l.value = ?", values: [tenant, ...label] },
      ...others.map((other) => ({ text: hasLabel, values: other })),
      ...optional("q.workflow = ?", workflow),
    ],
  );
  return rowsOf(database, { ...ofLabel, text: `${ofLabel.text} GROUP BY q.status, q.workflow` });
}

/** Above this number of workflows, the runs are sorted by them. */
const mostColumns = 30;

/** A column for each workflow: the index has the runs by status, and sorting 100,000 by workflow takes longer than reading them. */
function countAll(database: Database, tenant: string, workflow: string | undefined): RunCount[] {
  const known = database.sql(workflowsOf).all(tenant, tenant) as { readonly name: string }[];
  const names = known.map(({ name }) => name).filter((name) => workflow === undefined || name === workflow);
  const from = "FROM runs AS q INDEXED BY runs_status WHERE q.tenant = ?";
  if (names.length > mostColumns) {
    const text = `SELECT q.workflow, q.status, count(*) AS count ${from} GROUP BY q.status, q.workflow`;
    return rowsOf(database, { text, values: [tenant] });
  }
  const sums = names.map((_, index) => `, sum(q.workflow = ?) AS n${index}`).join("");
  const rows = database.sqlOnce(`SELECT q.status${sums} ${from} GROUP BY q.status`).all(...names, tenant) as {
    readonly status: StoredStatus;
    readonly [column: `n${number}`]: number;
  }[];
  const counts = rows.flatMap((row) =>
    names.map((name, index) => ({ workflow: name, status: row.status, count: row[`n${index}`] as number })),
  );
  return counts.filter(({ count }) => count > 0);
}

// One index step per workflow.
const workflowsOf = `WITH RECURSIVE page(name) AS (
    SELECT min(workflow) FROM runs WHERE tenant = ?
    UNION ALL SELECT (SELECT min(q.workflow) FROM runs AS q WHERE q.tenant = ? AND q.workflow > page.name) FROM page WHERE page.name IS NOT NULL
  ) SELECT name FROM page WHERE name IS NOT NULL`;

function rowsOf(database: Database, { text, values }: Sql): RunCount[] {
  return (database.sqlOnce(text).all(...values) as RunCount[]).map(({ workflow, status, count }) => ({
    workflow,
    status,
    count,
  }));
}

// One index step per tenant, however many runs the tenant has.
const allTenants = `WITH RECURSIVE page(tenant) AS (
    SELECT min(tenant) FROM runs
    UNION ALL SELECT (SELECT min(q.tenant) FROM runs AS q WHERE q.tenant > page.tenant) FROM page WHERE page.tenant IS NOT NULL
  ) SELECT tenant FROM page WHERE tenant IS NOT NULL`;

export function listTenants(database: Database): string[] {
  return (database.sql(allTenants).all() as { readonly tenant: string }[]).map(({ tenant }) => tenant);
}

/** Returns `null` when no run can match. @param end The last run that is looked at. */
export function pageSql(query: RunQuery, limit: number, end?: PagePosition): Sql | null {
  const ids = idsOfPage(query, end);
  if (ids === null) return null;
  const way = wayOf(query);
  return {
    // CROSS JOIN makes SQLite start from the ids.
    text: selectRuns(
      `(${ids.text} LIMIT ?) AS page CROSS JOIN runs AS r ON r.id = page.id`,
      `ORDER BY page.created_at ${way}, page.id ${way}`,
    ),
    values: [...ids.values, limit],
  };
}

function idsOfPage(query: RunQuery, end?: PagePosition): Sql | null {
  const wanted = wantedStatuses(query);
  if (wanted.length === 0) return null;
  const way = wayOf(query);
  const ids = idsSql(end === undefined ? query : { ...query, end }, wanted);
  return { text: `${ids.text} ORDER BY created_at ${way}, id ${way}`, values: ids.values };
}

/** A page of a search ends at a run, found or not. */
type WalkQuery = RunQuery & { readonly end?: PagePosition };

function wayOf({ order }: RunQuery): "ASC" | "DESC" {
  return order === "oldest" ? "ASC" : "DESC";
}

/** One index in the order of the page: what its keys begin with, and which statuses of it are wanted. */
interface Walk {
  readonly from: string;
  readonly createdAt: string;
  readonly id: string;
  readonly where: readonly Sql[];
}

function walksOf(query: RunQuery, wanted: readonly StoredStatus[]): Walk[] {
  const { tenant, queue, workflow, status } = query;
  const [label] = Object.entries(query.labels ?? {});
  const isAny = status === undefined && query.endedBeforeMs === undefined;
  const inStatus = isAny ? [] : [{ text: `q.status IN (${wanted.map(() => "?").join(", ")})`, values: wanted }];
  if (label !== undefined) {
    const key = { text: "l.tenant = ? AND l.name = ? AND l.value = ?", values: [tenant, ...label] };
    const from = "labels AS l CROSS JOIN runs AS q ON q.id = l.run";
    return [{ from, createdAt: "l.created_at", id: "l.run", where: [key, ...inStatus] }];
  }
  const ofRuns = (column: string, value: string, more: readonly Sql[]): Walk => {
    const key = { text: `q.tenant = ? AND q.${column} = ?`, values: [tenant, value] };
    return {
      from: `runs AS q INDEXED BY runs_${column}`,
      createdAt: "q.created_at",
      id: "q.id",
      where: [key, ...more],
    };
  };
  if (queue !== undefined) return [ofRuns("queue", queue, inStatus)];
  if (workflow !== undefined && status === undefined) return [ofRuns("workflow", workflow, [])];
  return wanted.map((name) => ofRuns("status", name, []));
}

function idsSql(query: WalkQuery, wanted: readonly StoredStatus[]): Sql {
  const [, ...labels] = Object.entries(query.labels ?? {});
  const { workflow, queue, endedBeforeMs, search } = query;
  const { id: runId, value, outcome } = searchPatterns(search ?? "");
  const filters: readonly Sql[] = [
    ...labels.map((other) => ({ text: hasLabel, values: other })),
    ...optional("q.workflow = ?", workflow),
    ...optional("q.queue = ?", queue),
    ...optional("q.ended_at < ?", endedBeforeMs),
    ...(search === undefined ? [] : [{ text: hasText, values: [runId, value, outcome] }]),
  ];
  const walks = walksOf(query, wanted).map(({ from, createdAt, id, where }) =>
    whereSql(`SELECT ${id} AS id, ${createdAt} AS created_at FROM ${from}`, [
      ...where,
      ...placeSql(query, createdAt, id),
      ...filters,
    ]),
  );
  return unionSql(walks);
}

function optional(text: string, value: SqliteValue | undefined): Sql[] {
  return value === undefined ? [] : [{ text, values: [value] }];
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

const hasText = `(q.run_id LIKE ? ESCAPE '\\'
  OR EXISTS (SELECT 1 FROM labels AS f WHERE f.run = q.id AND f.value LIKE ? ESCAPE '\\')
  OR (q.status = 'failed' AND q.outcome LIKE ? ESCAPE '\\'))`;

function placeSql(query: WalkQuery, createdAt: string, id: string): Sql[] {
  const { createdAfterMs, createdBeforeMs, cursor, order, end } = query;
  const [beyond, within] = order === "oldest" ? [">", "<"] : ["<", ">"];
  const compare = (sign: string, place: PagePosition, orSame: "" | "="): Sql => ({
    text: `${createdAt} ${sign}= ? AND (${createdAt} ${sign} ? OR ${id} ${sign}${orSame} ?)`,
    values: [place.createdAtMs, place.createdAtMs, place.id],
  });
  return [
    ...optional(`${createdAt} > ?`, createdAfterMs),
    ...optional(`${createdAt} < ?`, createdBeforeMs),
    ...(cursor === undefined ? [] : [compare(beyond as string, decodePageCursor(cursor, order), "")]),
    ...(end === undefined ? [] : [compare(within as string, end, "=")]),
  ];
}

function whereSql(select: string, conditions: readonly Sql[]): Sql {
  return {
    text: `${select} WHERE ${conditions.map(({ text }) => text).join(" AND ")}`,
    values: conditions.flatMap(({ values }) => values),
  };
}
