/**
 * Pages of runs, newest first.
 *
 * Every query walks one index in the order of the page and stops when the page is full: the index of the first label,
 * else of the queue, else of the workflow, else one walk for each status, which are merged. Other conditions only filter.
 *
 * @module
 */
import { checkPageLimit, decodePageCursor, encodePageCursor, isEndedStatus, storedStatuses } from "millrace/engine";
import type { RunPage, RunQuery, StoredStatus } from "millrace/runtime";
import type { Database } from "./database.js";
import { hashOf, numberOf } from "./keys.js";
import { type RunReader, selectRuns, toRun } from "./stored-run.js";
import { texts } from "./values.js";

// One index step for each tenant, however many runs it has. With EXISTS, it could be a join that reads all runs.
const allTenants =
  "SELECT name FROM @tenants t WHERE (SELECT true FROM @runs r WHERE r.tenant = t.id LIMIT 1) ORDER BY id";

export async function listTenants(database: Database): Promise<string[]> {
  return (await database.all(allTenants, [])).map(({ name }) => name as string);
}

export async function listRuns(reader: RunReader, query: RunQuery): Promise<RunPage> {
  const limit = checkPageLimit(query.limit);
  // One more row than requested tells whether there is a next page.
  const page = pageSql(query, limit + 1);
  if (page === null) return { runs: [], cursor: null };
  const rows = await reader.database.allOnce(page.text, page.values);
  const runs = rows.slice(0, limit).map((row) => toRun(reader, row));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last === undefined) return { runs, cursor: null };
  return { runs, cursor: encodePageCursor({ createdAtMs: last["created_at"] as number, id: last["id"] as number }) };
}

/** The values of one query, by the place where each is named. */
class Values {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** Returns `null` when no run can match. */
export function pageSql(query: RunQuery, limit: number): { readonly text: string; readonly values: unknown[] } | null {
  const wanted = wantedStatuses(query);
  if (wanted.length === 0) return null;
  const values = new Values();
  const rows = `${values.add(limit)}`;
  const ids = idsSql(query, wanted, { values, limit: rows });
  const source = `(${ids} ORDER BY created_at DESC, id DESC LIMIT ${rows}) AS page JOIN @runs r ON r.id = page.id`;
  return { text: selectRuns(source, "ORDER BY page.created_at DESC, page.id DESC"), values: values.all };
}

function wantedStatuses({ status, endedBeforeMs }: RunQuery): StoredStatus[] {
  const wanted = status === undefined ? storedStatuses : storedStatuses.filter((name) => status.includes(name));
  return wanted.filter((name) => endedBeforeMs === undefined || isEndedStatus(name));
}

interface Page {
  readonly values: Values;
  readonly limit: string;
}

function idsSql(query: RunQuery, wanted: readonly StoredStatus[], page: Page): string {
  const { values } = page;
  const tenant = `(SELECT id FROM @tenants WHERE hash = ${values.add(hashOf(query.tenant))})`;
  const [label, ...otherLabels] = Object.entries(query.labels ?? {});
  const isAnyStatus = query.status === undefined && query.endedBeforeMs === undefined;
  const inStatus = (): string[] => (isAnyStatus ? [] : [`q.status = ANY(${values.add(texts(wanted))}::text[])`]);
  if (label !== undefined) {
    const [name, value] = label;
    return `SELECT l.run AS id, l.created_at FROM @labels l JOIN @runs q ON q.id = l.run WHERE ${[
      `l.tenant = ${tenant} AND l.number = ${values.add(numberOf(name, value))}`,
      `l.name = ${values.add(name)} AND l.value = ${values.add(value)}`,
      ...placeSql(query, "l", values),
      ...otherLabels.map(([other, of]) => hasLabel(values.add(other), values.add(of))),
      ...workflowSql(query, values),
      ...queueSql(query, values),
      ...inStatus(),
      ...endedSql(query, values),
    ].join(" AND ")}`;
  }
  if (query.queue !== undefined) {
    return `SELECT q.id, q.created_at FROM @runs q WHERE ${[
      `q.tenant = ${tenant}`,
      ...queueSql(query, values),
      ...workflowSql(query, values),
      ...placeSql(query, "q", values),
      ...inStatus(),
      ...endedSql(query, values),
    ].join(" AND ")}`;
  }
  if (query.workflow !== undefined && query.status === undefined) {
    return `SELECT q.id, q.created_at FROM @runs q WHERE ${[
      `q.tenant = ${tenant} AND q.workflow_number = ${values.add(numberOf(query.workflow))}`,
      ...workflowSql(query, values),
      ...placeSql(query, "q", values),
      ...inStatus(),
      ...endedSql(query, values),
    ].join(" AND ")}`;
  }
  const walk = (status: StoredStatus): string =>
    `(SELECT q.id, q.created_at FROM @runs q WHERE ${[
      `q.tenant = ${tenant} AND q.status = '${status}'`,
      ...placeSql(query, "q", values),
      ...workflowSql(query, values),
      ...endedSql(query, values),
    ].join(" AND ")} ORDER BY q.created_at DESC, q.id DESC LIMIT ${page.limit})`;
  return `SELECT id, created_at FROM (${wanted.map(walk).join(" UNION ALL ")}) walks`;
}

function hasLabel(name: string, value: string): string {
  return `EXISTS (SELECT 1 FROM @labels o WHERE o.run = q.id AND o.name = ${name} AND o.value = ${value})`;
}

function workflowSql({ workflow }: RunQuery, values: Values): string[] {
  return workflow === undefined ? [] : [`q.workflow = ${values.add(workflow)}`];
}

function queueSql({ queue }: RunQuery, values: Values): string[] {
  return queue === undefined ? [] : [`q.queue = (SELECT id FROM @queues WHERE hash = ${values.add(hashOf(queue))})`];
}

function endedSql({ endedBeforeMs }: RunQuery, values: Values): string[] {
  return endedBeforeMs === undefined ? [] : [`q.ended_at < ${values.add(endedBeforeMs)}`];
}

function placeSql({ createdAfterMs, createdBeforeMs, cursor }: RunQuery, table: "l" | "q", values: Values): string[] {
  const parts: string[] = [];
  if (createdAfterMs !== undefined) parts.push(`${table}.created_at > ${values.add(createdAfterMs)}`);
  if (createdBeforeMs !== undefined) parts.push(`${table}.created_at < ${values.add(createdBeforeMs)}`);
  if (cursor === undefined) return parts;
  const { createdAtMs, id } = decodePageCursor(cursor);
  const number = table === "l" ? "l.run" : "q.id";
  return [...parts, `(${table}.created_at, ${number}) < (${values.add(createdAtMs)}, ${values.add(id)})`];
}
