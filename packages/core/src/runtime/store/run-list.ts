/**
 * Pages of runs, newest first, for stores in SQL.
 *
 * Every query walks one index in the order of the page and stops when the page is full: the index of the first label,
 * else of the queue, else of the workflow, else one walk for each status, which are merged. Other conditions only filter.
 *
 * @module
 */
import { pageSize } from "../../value/option-value.js";
import type { RunPage, RunQuery, StoredRun } from "./run-store.types.js";
import { joinSql, plainSql, type Sql, sql } from "./sql.js";
import {
  decodePageCursor,
  encodePageCursor,
  matchesSearch,
  type PagePosition,
  searchPatterns,
  searchWindow,
  textsOfStatus,
  wantedStatuses,
} from "./store-kit.js";

/** What differs between databases. Conditions are of `runs AS q`, of `labels AS l`, or of both. */
export interface ListDialect {
  /** `runs AS q`, walked by an index that begins with the tenant and this column. */
  readonly runs: (column: "queue" | "workflow" | "status") => Sql;
  /** `labels AS l` with `runs AS q`, walked by the labels. */
  readonly labelledRuns: Sql;
  readonly tenant: (table: "q" | "l", name: string) => Sql;
  readonly label: (name: string, value: string) => Sql;
  readonly hasLabel: (name: string, value: string) => Sql;
  readonly queue: (name: string) => Sql;
  /** What the index of workflows begins with. */
  readonly workflowKey: (name: string) => Sql;
  readonly search: (patterns: ReturnType<typeof searchPatterns>) => Sql;
  /** The ids of all walks. `order` and `limit` are those of the whole. */
  readonly union: (walks: readonly Sql[], order: Sql, limit: number) => Sql;
  /** The rows of the runs of `page`, a list of `id` and `created_at`. */
  readonly rowsOf: (page: Sql, order: Sql) => Sql;
}

/** A page of a search ends at a run, found or not. */
type WalkQuery = RunQuery & { readonly end?: PagePosition };

export interface ListedRun {
  readonly id: number;
  readonly run: StoredRun;
}

/** How a page is read. */
export interface ListReader {
  readonly dialect: ListDialect;
  /** Reads positions: `id` and `created_at`. */
  readonly positions: (statement: Sql) => Promise<PagePosition[]>;
  readonly runs: (statement: Sql) => Promise<ListedRun[]>;
}

export async function listStoredRuns({ dialect, positions, runs }: ListReader, query: RunQuery): Promise<RunPage> {
  const limit = pageSize(query.limit);
  const { search, order } = query;
  if (wantedStatuses(query).length === 0) return { runs: [], cursor: null };
  const [end, more] = search === undefined ? [] : await positions(windowEndSql(dialect, query));
  const within = end === undefined || more === undefined ? query : { ...query, end };
  // Reading one more row than requested shows whether there is a next page.
  const read = await runs(runPageSql(dialect, within, limit + 1));
  const page = read.slice(0, limit);
  const found = search === undefined ? page : page.filter(({ run }) => matchesSearch(run, search));
  const last = read.length > limit ? page.at(-1) : undefined;
  const place = last === undefined ? (more === undefined ? undefined : end) : placeOf(last);
  return { runs: found.map(({ run }) => run), cursor: place === undefined ? null : encodePageCursor(place, order) };
}

function placeOf({ id, run }: ListedRun): PagePosition {
  return { createdAtMs: run.createdAtMs, id };
}

/** The last run that one page of a search looks at, and one more if there is one. */
function windowEndSql(dialect: ListDialect, { search: _, ...query }: RunQuery): Sql {
  const ids = idsSql(dialect, query, searchWindow + 1);
  return sql`${ids} ${orderSql(query)} LIMIT 2 OFFSET ${searchWindow - 1}`;
}

/** @param query.end The last run that is looked at. */
function runPageSql(dialect: ListDialect, query: WalkQuery, limit: number): Sql {
  const page = sql`(${idsSql(dialect, query, limit)} ${orderSql(query)} LIMIT ${limit})`;
  return dialect.rowsOf(page, orderSql(query, "page."));
}

function orderSql({ order }: RunQuery, table = ""): Sql {
  const way = order === "oldest" ? "ASC" : "DESC";
  return plainSql(`ORDER BY ${table}created_at ${way}, ${table}id ${way}`);
}

function idsSql(dialect: ListDialect, query: WalkQuery, limit: number): Sql {
  const wanted = wantedStatuses(query);
  const { tenant, queue, workflow, status, endedBeforeMs, search } = query;
  const [label, ...labels] = Object.entries(query.labels ?? {});
  const isAny = status === undefined && endedBeforeMs === undefined;
  const inStatus = isAny
    ? []
    : [
        sql`q.status IN (${joinSql(
          wanted.flatMap(textsOfStatus).map((text) => sql`${text}`),
          ", ",
        )})`,
      ];
  const filters = [
    ...labels.map((other) => dialect.hasLabel(...other)),
    ...(workflow === undefined ? [] : [sql`q.workflow = ${workflow}`]),
    ...(queue === undefined ? [] : [dialect.queue(queue)]),
    ...(endedBeforeMs === undefined ? [] : [sql`q.ended_at < ${endedBeforeMs}`]),
    ...(search === undefined ? [] : [dialect.search(searchPatterns(search))]),
  ];
  if (label !== undefined) {
    const where = [dialect.tenant("l", tenant), dialect.label(...label), ...inStatus];
    const conditions = joinSql([...where, ...placeSql(query, "l.created_at", "l.run"), ...filters], " AND ");
    return sql`SELECT l.run AS id, l.created_at AS created_at FROM ${dialect.labelledRuns} WHERE ${conditions}`;
  }
  const walk = (column: "queue" | "workflow" | "status", where: readonly Sql[]): Sql => {
    const place = placeSql(query, "q.created_at", "q.id");
    const conditions = joinSql([dialect.tenant("q", tenant), ...where, ...place, ...filters], " AND ");
    return sql`SELECT q.id AS id, q.created_at AS created_at FROM ${dialect.runs(column)} WHERE ${conditions}`;
  };
  if (queue !== undefined) return walk("queue", inStatus);
  if (workflow !== undefined && status === undefined) return walk("workflow", [dialect.workflowKey(workflow)]);
  const walks = wanted.flatMap(textsOfStatus).map((text) => walk("status", [sql`q.status = ${text}`]));
  return dialect.union(walks, orderSql(query), limit);
}

function placeSql(query: WalkQuery, createdAt: string, id: string): Sql[] {
  const { createdAfterMs, createdBeforeMs, cursor, order, end } = query;
  const column = plainSql(createdAt);
  const [beyond, within] = order === "oldest" ? [">", "<"] : ["<", ">"];
  const compare = (sign: string, place: PagePosition, orSame: "" | "="): Sql =>
    sql`${column} ${plainSql(`${sign}=`)} ${place.createdAtMs} AND (${column} ${plainSql(sign)} ${place.createdAtMs} OR ${plainSql(`${id} ${sign}${orSame}`)} ${place.id})`;
  return [
    ...(createdAfterMs === undefined ? [] : [sql`${column} > ${createdAfterMs}`]),
    ...(createdBeforeMs === undefined ? [] : [sql`${column} < ${createdBeforeMs}`]),
    ...(cursor === undefined ? [] : [compare(beyond as string, decodePageCursor(cursor, order), "")]),
    ...(end === undefined ? [] : [compare(within as string, end, "=")]),
  ];
}
