/**
 * Pages of runs, newest first.
 *
 * Every query walks one index in the order of the page and stops when the page is full: the index of the first label,
 * else of the queue, else of the workflow, else one walk for each status, which are merged. Other conditions only filter.
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
import type { Row } from "../connection/session.js";
import { hashOf, numberOf } from "../text/keys.js";
import { texts } from "../text/values.js";
import { type RunReader, selectRuns, toRun } from "./stored-run.js";

// One index step for each tenant, however many runs it has. With EXISTS, it could be a join that reads all runs.
const allTenants =
  "SELECT name FROM @tenants t WHERE (SELECT true FROM @runs r WHERE r.tenant = t.id LIMIT 1) ORDER BY id";

export async function listTenants(database: Database): Promise<string[]> {
  return (await database.all(allTenants, [])).map(({ name }) => name as string);
}

export async function listRuns(reader: RunReader, query: RunQuery): Promise<RunPage> {
  const limit = pageSize(query.limit);
  const { search, order } = query;
  const end = search === undefined ? undefined : await windowEnd(reader, query);
  // Reading one more row than requested shows whether there is a next page.
  const page = pageSql(query, limit + 1, end);
  if (page === null) return { runs: [], cursor: null };
  const rows = await reader.database.allOnce(page.text, page.values);
  const read = rows.slice(0, limit).map((row) => toRun(reader, row));
  const runs = search === undefined ? read : read.filter((run) => matchesSearch(run, search));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const place = last === undefined ? end : placeOf(last);
  return { runs, cursor: place === undefined ? null : encodePageCursor(place, order) };
}

/** The last run that one page of a search looks at; undefined: all that there are. */
async function windowEnd(reader: RunReader, { search: _, ...query }: RunQuery): Promise<PagePosition | undefined> {
  const wanted = wantedStatuses(query);
  if (wanted.length === 0) return undefined;
  const values = new Values();
  const ids = idsSql(query, wanted, { values, limit: `${searchWindow + 1}` });
  const text = `${ids} ${orderSql(query)} LIMIT 2 OFFSET ${values.add(searchWindow - 1)}`;
  const [last, more] = await reader.database.allOnce(text, values.all);
  return last === undefined || more === undefined ? undefined : placeOf(last);
}

const placeOf = (row: Row): PagePosition => ({
  createdAtMs: row["created_at"] as number,
  id: row["id"] as number,
});

/** It reads the row of every run that it counts. */
export async function countRuns({ database }: RunReader, query: CountQuery): Promise<RunCount[]> {
  const values = new Values();
  const tenant = `(SELECT id FROM @tenants WHERE hash = ${values.add(hashOf(query.tenant))})`;
  const [label, ...others] = Object.entries(query.labels ?? {});
  const ofRuns = [
    ...workflowSql(query, values),
    ...others.map(([name, value]) => hasLabel(values.add(name), values.add(value))),
  ];
  const text =
    label === undefined
      ? `@runs q WHERE ${[`q.tenant = ${tenant}`, ...numberSql(query, values), ...ofRuns].join(" AND ")}`
      : `@labels l JOIN @runs q ON q.id = l.run WHERE ${[...labelSql(label, tenant, values), ...ofRuns].join(" AND ")}`;
  const rows = await database.allOnce(
    `SELECT q.workflow, q.status, count(*) AS count FROM ${text} GROUP BY q.workflow, q.status`,
    values.all,
  );
  return rows.map((row) => ({
    workflow: row["workflow"] as string,
    status: row["status"] as StoredStatus,
    count: Number(row["count"]),
  }));
}

/** The values of one query, by the place where each is named. */
class Values {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** Returns `null` when no run can match. @param end The last run that is looked at. */
export function pageSql(
  query: RunQuery,
  limit: number,
  end?: PagePosition,
): { readonly text: string; readonly values: unknown[] } | null {
  const wanted = wantedStatuses(query);
  if (wanted.length === 0) return null;
  const values = new Values();
  const rows = `${values.add(limit)}`;
  const ids = idsSql(end === undefined ? query : { ...query, end }, wanted, { values, limit: rows });
  const source = `(${ids} ${orderSql(query)} LIMIT ${rows}) AS page JOIN @runs r ON r.id = page.id`;
  return { text: selectRuns(source, orderSql(query, "page.")), values: values.all };
}

/** A page of a search ends at a run, found or not. */
type WalkQuery = RunQuery & { readonly end?: PagePosition };

function orderSql({ order }: RunQuery, table = ""): string {
  const way = order === "oldest" ? "ASC" : "DESC";
  return `ORDER BY ${table}created_at ${way}, ${table}id ${way}`;
}

interface Page {
  readonly values: Values;
  readonly limit: string;
}

function idsSql(query: WalkQuery, wanted: readonly StoredStatus[], { values, limit }: Page): string {
  const tenant = `(SELECT id FROM @tenants WHERE hash = ${values.add(hashOf(query.tenant))})`;
  const [label, ...labels] = Object.entries(query.labels ?? {});
  const { queue, workflow, status, endedBeforeMs } = query;
  const filters = (): string[] => [
    ...labels.map(([name, value]) => hasLabel(values.add(name), values.add(value))),
    ...workflowSql(query, values),
    ...(queue === undefined ? [] : [`q.queue = (SELECT id FROM @queues WHERE hash = ${values.add(hashOf(queue))})`]),
    ...(endedBeforeMs === undefined ? [] : [`q.ended_at < ${values.add(endedBeforeMs)}`]),
    ...searchSql(query, values),
  ];
  const isAny = status === undefined && endedBeforeMs === undefined;
  const inStatus = (): string[] => (isAny ? [] : [`q.status = ANY(${values.add(texts(wanted))}::text[])`]);
  if (label !== undefined)
    return `SELECT l.run AS id, l.created_at FROM @labels l JOIN @runs q ON q.id = l.run WHERE ${[
      ...labelSql(label, tenant, values),
      ...placeSql(query, "l", values),
      ...inStatus(),
      ...filters(),
    ].join(" AND ")}`;
  const ofRuns = (where: readonly string[]): string =>
    `SELECT q.id, q.created_at FROM @runs q WHERE ${[
      `q.tenant = ${tenant}`,
      ...where,
      ...placeSql(query, "q", values),
      ...filters(),
    ].join(" AND ")}`;
  if (queue !== undefined) return ofRuns(inStatus());
  if (workflow !== undefined && status === undefined) return ofRuns(numberSql(query, values));
  const walks = wanted.map((name) => `(${ofRuns([`q.status = '${name}'`])} ${orderSql(query, "q.")} LIMIT ${limit})`);
  return `SELECT id, created_at FROM (${walks.join(" UNION ALL ")}) walks`;
}

function labelSql([name, value]: readonly [string, string], tenant: string, values: Values): string[] {
  return [
    `l.tenant = ${tenant} AND l.number = ${values.add(numberOf(name, value))}`,
    `l.name = ${values.add(name)} AND l.value = ${values.add(value)}`,
  ];
}

/** What the index of workflows begins with. */
function numberSql({ workflow }: Pick<RunQuery, "workflow">, values: Values): string[] {
  return workflow === undefined ? [] : [`q.workflow_number = ${values.add(numberOf(workflow))}`];
}

function searchSql({ search }: RunQuery, values: Values): string[] {
  if (search === undefined) return [];
  const { id, value, outcome } = searchPatterns(search);
  return [
    // The pattern of each row by itself: with EXISTS, the labels of all runs could be looked through first. With the collation of the
    // database, ILIKE takes several times as long.
    `(q.run_id COLLATE "C" ILIKE ${values.add(id)} ESCAPE '\\'
      OR (SELECT bool_or(f.value ILIKE ${values.add(value)} ESCAPE '\\') FROM @labels f WHERE f.run = q.id)
      OR (q.status = 'failed' AND q.outcome COLLATE "C" ILIKE ${values.add(outcome)} ESCAPE '\\'))`,
  ];
}

function hasLabel(name: string, value: string): string {
  return `EXISTS (SELECT 1 FROM @labels o WHERE o.run = q.id AND o.name = ${name} AND o.value = ${value})`;
}

function workflowSql({ workflow }: Pick<RunQuery, "workflow">, values: Values): string[] {
  return workflow === undefined ? [] : [`q.workflow = ${values.add(workflow)}`];
}

function placeSql(query: WalkQuery, table: "l" | "q", values: Values): string[] {
  const { createdAfterMs, createdBeforeMs, cursor, order, end } = query;
  const parts: string[] = [];
  if (createdAfterMs !== undefined) parts.push(`${table}.created_at > ${values.add(createdAfterMs)}`);
  if (createdBeforeMs !== undefined) parts.push(`${table}.created_at < ${values.add(createdBeforeMs)}`);
  const row = table === "l" ? "(l.created_at, l.run)" : "(q.created_at, q.id)";
  const [beyond, within] = order === "oldest" ? [">", "<="] : ["<", ">="];
  const compare = (sign: string, { createdAtMs, id }: PagePosition): string =>
    `${row} ${sign} (${values.add(createdAtMs)}, ${values.add(id)})`;
  if (cursor !== undefined) parts.push(compare(beyond as string, decodePageCursor(cursor, order)));
  if (end !== undefined) parts.push(compare(within as string, end));
  return parts;
}
