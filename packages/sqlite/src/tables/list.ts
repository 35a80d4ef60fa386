import {
  countStoredRuns,
  countsOfTexts,
  joinSql,
  type ListDialect,
  type ListReader,
  plainSql,
  type Sql,
  sql,
} from "millrace/engine";
import type { CountQuery, RunCount } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { selectRuns, toRun } from "./stored-run.js";

/** Maximum number of terms in a union: at least half the number of statuses. */
const unionSize = 5;

// Nested, which SQLite flattens: a Durable Object allows at most five terms in a row.
function allOf(walks: readonly Sql[]): Sql {
  const join = (some: readonly Sql[]): Sql => joinSql(some, " UNION ALL ");
  if (walks.length <= unionSize) return join(walks);
  return join([walks.slice(0, unionSize), walks.slice(unionSize)].map((some) => sql`SELECT * FROM (${join(some)})`));
}

const dialect: ListDialect = {
  runs: (column) => plainSql(`runs AS q INDEXED BY runs_${column}`),
  namedRuns: (table) => plainSql(`${table} AS l CROSS JOIN runs AS q ON q.id = l.run`),
  tenant: (table, name) => sql`${plainSql(table)}.tenant = ${name}`,
  named: (name, value) => sql`l.name = ${name} AND l.value = ${value}`,
  hasNamed: (table, name, value) =>
    sql`EXISTS (SELECT 1 FROM ${plainSql(table)} AS o WHERE o.run = q.id AND o.name = ${name} AND o.value = ${value})`,
  queue: (name) => sql`q.queue = ${name}`,
  workflowKey: (name) => sql`q.workflow = ${name}`,
  search: ({ id, value, outcome }) => sql`(q.run_id LIKE ${id} ESCAPE '\\'
    OR EXISTS (SELECT 1 FROM labels AS f WHERE f.run = q.id AND f.value LIKE ${value} ESCAPE '\\')
    OR (q.status = 'failed' AND q.outcome LIKE ${outcome} ESCAPE '\\'))`,
  union: allOf,
  all: allOf,
  // CROSS JOIN makes SQLite start from the ids.
  rowsOf: (page, order) => selectRuns(sql`${page} AS page CROSS JOIN runs AS r ON r.id = page.id`, order),
};

export function listReader(database: Database): ListReader {
  return {
    dialect,
    read: async (statement) => {
      const { text, values } = statement.render(() => "?");
      return database.guard(() => database.sqlOnce(text).all(...values));
    },
    toRun: (row) => toRun(database.path, row),
  };
}

/** A covering walk of one index. */
export async function countRuns(database: Database, query: CountQuery): Promise<RunCount[]> {
  const { tenant, workflow, labels = {} } = query;
  const names = Object.keys(labels).length === 0 ? database.guard(() => workflowsOf(database, tenant)) : [];
  if (names.length === 0 || names.length > mostColumns) return countStoredRuns(listReader(database), query);
  const wanted = names.filter((name) => workflow === undefined || name === workflow);
  return database.guard(() => countByColumns(database, tenant, wanted));
}

/** Above this number of workflows, the runs are sorted by them. */
const mostColumns = 30;

/** A column for each workflow: the index has the runs by status, and sorting 100,000 by workflow takes longer than reading them. */
function countByColumns(database: Database, tenant: string, names: readonly string[]): RunCount[] {
  const sums = names.map((_, index) => `, sum(q.workflow = ?) AS n${index}`).join("");
  const rows = database
    .sqlOnce(`SELECT q.status${sums} FROM runs AS q INDEXED BY runs_status WHERE q.tenant = ? GROUP BY q.status`)
    .all(...names, tenant) as { readonly status: string; readonly [column: `n${number}`]: number }[];
  const counts = rows.flatMap((row) =>
    names.map((name, index) => ({ workflow: name, status: row.status, count: row[`n${index}`] as number })),
  );
  return countsOfTexts(counts.filter(({ count }) => count > 0));
}

// One index step per workflow.
const allWorkflows = `WITH RECURSIVE page(name) AS (
    SELECT min(workflow) FROM runs WHERE tenant = ?
    UNION ALL SELECT (SELECT min(q.workflow) FROM runs AS q WHERE q.tenant = ? AND q.workflow > page.name) FROM page WHERE page.name IS NOT NULL
  ) SELECT name FROM page WHERE name IS NOT NULL`;

function workflowsOf(database: Database, tenant: string): string[] {
  return (database.sql(allWorkflows).all(tenant, tenant) as { readonly name: string }[]).map(({ name }) => name);
}

// One index step per tenant, however many runs the tenant has.
const allTenants = `WITH RECURSIVE page(tenant) AS (
    SELECT min(tenant) FROM runs
    UNION ALL SELECT (SELECT min(q.tenant) FROM runs AS q WHERE q.tenant > page.tenant) FROM page WHERE page.tenant IS NOT NULL
  ) SELECT tenant FROM page WHERE tenant IS NOT NULL`;

export function listTenants(database: Database): string[] {
  return (database.sql(allTenants).all() as { readonly tenant: string }[]).map(({ tenant }) => tenant);
}
