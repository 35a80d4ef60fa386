/**
 * Pages of runs, newest first, for stores in SQL.
 *
 * Every query walks one index in the order of the page and stops when the page is full: the index of the first value of the
 * input, else of the first label, else of the kind of failure, else of the failed step, else of the queue, else of the
 * version, else of the workflow, else one walk for each status, which are merged. Other conditions only filter.
 *
 * @module
 */

import { pageSize } from "../../value/options.js";
import type {
  CountQuery,
  HistogramBar,
  HistogramQuery,
  RunCount,
  RunPage,
  RunQuery,
  StoredRun,
} from "./run-store.types.js";
import {
  countsOfTexts,
  decodePageCursor,
  encodePageCursor,
  matchesSearch,
  type PagePosition,
  searchPatterns,
  searchWindow,
  statusOfText,
  textsOfStatus,
  wantedStatuses,
} from "./store-kit.js";

type Walked = "failure" | "failed_step" | "queue" | "version" | "workflow" | "status";

/** Tables of names and values of runs. */
export type NamedTable = "labels" | "input_values";

/** Differences between databases. Conditions are of `runs AS q`, of `labels` or `input_values` `AS l`, or of both. */
export interface ListDialect {
  /** `runs AS q`, walked by an index that begins with the tenant and this column. */
  readonly runs: (column: Walked) => Sql;
  /** The table `AS l` with `runs AS q`, walked by names and values. */
  readonly namedRuns: (table: NamedTable) => Sql;
  readonly tenant: (table: "q" | "l", name: string) => Sql;
  readonly named: (name: string, value: string) => Sql;
  readonly hasNamed: (table: NamedTable, name: string, value: string) => Sql;
  readonly queue: (name: string) => Sql;
  /** First columns of the index of workflows. */
  readonly workflowKey: (name: string) => Sql;
  readonly search: (patterns: ReturnType<typeof searchPatterns>) => Sql;
  /** The ids of all walks. `order` and `limit` are those of the whole. */
  readonly union: (walks: readonly Sql[], order: Sql, limit: number) => Sql;
  /** All rows of all walks. */
  readonly all: (walks: readonly Sql[]) => Sql;
  /** The rows of the runs of `page`, a list of `id` and `created_at`. */
  readonly rowsOf: (page: Sql, order: Sql) => Sql;
}

/** A page of a search ends at a run, found or not. */
type WalkQuery = RunQuery & { readonly end?: PagePosition };
type Conditions = Omit<WalkQuery, "limit">;

export interface ListedRun {
  readonly id: number;
  readonly run: StoredRun;
}

/** How statements are run. */
export interface ListReader {
  readonly dialect: ListDialect;
  /** Returns rows with the columns that the statement selects. Their numbers are numbers. */
  readonly read: (statement: Sql) => Promise<readonly unknown[]>;
  /** Reads a row of {@link ListDialect.rowsOf}. */
  readonly toRun: (row: unknown) => ListedRun;
}

export async function listStoredRuns({ dialect, read, toRun }: ListReader, query: RunQuery): Promise<RunPage> {
  const limit = pageSize(query.limit);
  const { search, order } = query;
  if (wantedStatuses(query).length === 0) return { runs: [], cursor: null };
  const [end, more] = search === undefined ? [] : (await read(windowEndSql(dialect, query))).map(positionOf);
  const within = end === undefined || more === undefined ? query : { ...query, end };
  // Reading one more row than requested shows whether there is a next page.
  const rows = (await read(runPageSql(dialect, within, limit + 1))).map(toRun);
  const page = rows.slice(0, limit);
  const found = search === undefined ? page : page.filter(({ run }) => matchesSearch(run, search));
  const last = rows.length > limit ? page.at(-1) : undefined;
  const place = last === undefined ? (more === undefined ? undefined : end) : placeOf(last);
  return { runs: found.map(({ run }) => run), cursor: place === undefined ? null : encodePageCursor(place, order) };
}

function positionOf(row: unknown): PagePosition {
  const { id, created_at } = row as { readonly id: number; readonly created_at: number };
  return { id, createdAtMs: created_at };
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

function orderSql({ order }: Pick<RunQuery, "order">, table = ""): Sql {
  const way = order === "oldest" ? "ASC" : "DESC";
  return plainSql(`ORDER BY ${table}created_at ${way}, ${table}id ${way}`);
}

/** Counts runs by workflow and status. It reads every run that it counts. */
export async function countStoredRuns({ dialect, read }: ListReader, query: CountQuery): Promise<RunCount[]> {
  const { tenant, workflow, labels = {} } = query;
  const [label, ...others] = Object.entries(labels);
  const conditions = [
    dialect.tenant(label === undefined ? "q" : "l", tenant),
    ...(label === undefined ? [] : [dialect.named(...label)]),
    ...others.map((other) => dialect.hasNamed("labels", ...other)),
    ...(workflow === undefined ? [] : [sql`${dialect.workflowKey(workflow)} AND q.workflow = ${workflow}`]),
  ];
  const from = label === undefined ? dialect.runs("status") : dialect.namedRuns("labels");
  const rows = await read(sql`SELECT q.workflow, q.status, count(*) AS count FROM ${from}
    WHERE ${joinSql(conditions, " AND ")} GROUP BY q.status, q.workflow`);
  return countsOfTexts(rows as RunCount[]);
}

/**
 * Counts runs by period and status. It reads an index entry of every run that it counts.
 *
 * @param seeks Whether each status and period is looked up in the index, for a database that would sort what it groups.
 */
export async function histogramOf(
  { dialect, read }: ListReader,
  query: HistogramQuery,
  seeks: boolean,
): Promise<HistogramBar[]> {
  const statement = histogramSql(dialect, query, seeks);
  const bars = new Map<string, HistogramBar>();
  for (const row of statement === null ? [] : await read(statement)) {
    const { period, status: text, count } = row as HistogramBar;
    const status = statusOfText(text) ?? text;
    const name = `${period} ${status}`;
    bars.set(name, { period, status, count: count + (bars.get(name)?.count ?? 0) });
  }
  return [...bars.values()];
}

function histogramSql(dialect: ListDialect, given: HistogramQuery, seeks: boolean): Sql | null {
  const query = inPeriods(given);
  const wanted = wantedStatuses(query);
  if (wanted.length === 0) return null;
  const { fromMs, periodMs, periods } = given;
  if (seeks && isByStatus(query)) {
    const { createdAfterMs, createdBeforeMs, ...rest } = query;
    const from = sql`${fromMs} + numbers.n * ${periodMs}`;
    // One bound on each side: the index is looked up by the first of several.
    const within = sql`q.created_at > max(${from} - 1, ${createdAfterMs}) AND q.created_at < min(${from} + ${periodMs}, ${createdBeforeMs})`;
    const counts = wanted.flatMap((status) =>
      walksSql(dialect, { ...rest, status: [status] }, "status").map(
        (runs) =>
          sql`SELECT n AS period, ${status} AS status, (SELECT count(*) FROM (${runs} AND ${within})) AS count FROM numbers`,
      ),
    );
    return sql`WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${periods - 1})
      SELECT * FROM (${dialect.all(counts)}) AS found WHERE count > 0`;
  }
  // SQLite may divide a number as a fraction.
  const period = sql`CAST((created_at - ${fromMs}) / ${periodMs} AS INTEGER)`;
  const runs = dialect.all(walksSql(dialect, query, "status"));
  return sql`SELECT ${period} AS period, status, count(*) AS count FROM (${runs}) AS found GROUP BY 1, 2`;
}

interface InPeriods extends Conditions {
  readonly createdAfterMs: number;
  readonly createdBeforeMs: number;
}

/** The conditions of a histogram, with its time. */
export function inPeriods({ fromMs, periodMs, periods, ...query }: HistogramQuery): InPeriods {
  const endMs = fromMs + periods * periodMs;
  const createdAfterMs = Math.max(query.createdAfterMs ?? fromMs - 1, fromMs - 1);
  return { ...query, createdAfterMs, createdBeforeMs: Math.min(query.createdBeforeMs ?? endMs, endMs) };
}

function isByStatus(query: Conditions): boolean {
  const { failure, failedStep, queue, version, workflow, status } = query;
  const isOfOne = [failure, failedStep, queue, version].some((one) => one !== undefined);
  return !isOfOne && (workflow === undefined || status !== undefined) && namedOf(query).length === 0;
}

function idsSql(dialect: ListDialect, query: WalkQuery, limit: number): Sql {
  const walks = walksSql(dialect, query);
  const [only] = walks;
  return walks.length === 1 && only !== undefined ? only : dialect.union(walks, orderSql(query), limit);
}

/** The runs of a query, as walks of indexes. @param column Selected instead of the id. */
function walksSql(dialect: ListDialect, query: Conditions, column: "id" | "status" = "id"): Sql[] {
  const wanted = wantedStatuses(query);
  const { tenant, queue, version, workflow, status, failure, failedStep, endedBeforeMs, search } = query;
  const [first, ...others] = namedOf(query);
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
    ...others.map((other) => dialect.hasNamed(...other)),
    ...(workflow === undefined ? [] : [sql`q.workflow = ${workflow}`]),
    ...(queue === undefined ? [] : [dialect.queue(queue)]),
    ...(version === undefined ? [] : [sql`q.version = ${version}`]),
    ...(failure === undefined ? [] : [sql`q.failure = ${failure}`]),
    ...(failedStep === undefined ? [] : [sql`q.failed_step = ${failedStep}`]),
    ...(endedBeforeMs === undefined ? [] : [sql`q.ended_at < ${endedBeforeMs}`]),
    ...(search === undefined ? [] : [dialect.search(searchPatterns(search))]),
  ];
  if (first !== undefined) {
    const [table, ...pair] = first;
    const where = [dialect.tenant("l", tenant), dialect.named(...pair), ...inStatus];
    const conditions = joinSql([...where, ...placeSql(query, "l.created_at", "l.run"), ...filters], " AND ");
    return [
      sql`SELECT ${plainSql(column === "id" ? "l.run AS id" : "q.status AS status")}, l.created_at AS created_at
        FROM ${dialect.namedRuns(table)} WHERE ${conditions}`,
    ];
  }
  const walk = (index: Walked, where: readonly Sql[]): Sql => {
    const place = placeSql(query, "q.created_at", "q.id");
    const conditions = joinSql([dialect.tenant("q", tenant), ...where, ...place, ...filters], " AND ");
    const found = plainSql(`q.${column} AS ${column}`);
    return sql`SELECT ${found}, q.created_at AS created_at FROM ${dialect.runs(index)} WHERE ${conditions}`;
  };
  if (failure !== undefined) return [walk("failure", inStatus)];
  if (failedStep !== undefined) return [walk("failed_step", inStatus)];
  if (queue !== undefined) return [walk("queue", inStatus)];
  if (version !== undefined) return [walk("version", inStatus)];
  if (workflow !== undefined && status === undefined) return [walk("workflow", [dialect.workflowKey(workflow)])];
  return wanted.flatMap(textsOfStatus).map((text) => walk("status", [sql`q.status = ${text}`]));
}

/** Values of the input first: few runs have the same. */
function namedOf({ index = {}, labels = {} }: Conditions): [table: NamedTable, name: string, value: string][] {
  const of = (table: NamedTable, pairs: Readonly<Record<string, string>>) =>
    Object.entries(pairs).map(([name, value]): [NamedTable, string, string] => [table, name, value]);
  return [...of("input_values", index), ...of("labels", labels)];
}

function placeSql(query: Conditions, createdAt: string, id: string): Sql[] {
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

// ---- SQL as a tagged template: its literal parts are text, its placeholders are values or other parts
//     sql`q.tenant = ${tenant} AND ${more}`

export type SqlValue = string | number | null | Uint8Array;

/** A part of a statement with the values that it binds. */
export class Sql {
  /** One more than there are parts: each part stands between two. */
  readonly #texts: readonly string[];
  readonly #parts: readonly (Sql | SqlValue)[];

  constructor(texts: readonly string[], parts: readonly (Sql | SqlValue)[]) {
    this.#texts = texts;
    this.#parts = parts;
  }

  /** @param mark Names a value by its number, from 1. */
  render(mark: (number: number) => string): { readonly text: string; readonly values: SqlValue[] } {
    const values: SqlValue[] = [];
    const textOf = (part: Sql | SqlValue): string => {
      if (!(part instanceof Sql)) return mark(values.push(part));
      const [first = "", ...rest] = part.#texts;
      let text = first;
      for (const [index, next] of rest.entries()) text += textOf(part.#parts[index] as Sql | SqlValue) + next;
      return text;
    };
    return { text: textOf(this), values };
  }
}

export function sql(texts: readonly string[], ...parts: readonly (Sql | SqlValue)[]): Sql {
  return new Sql(texts, parts);
}

/** Text as it is: for names of the schema, never for what comes from outside. */
export function plainSql(text: string): Sql {
  return new Sql([text], []);
}

export function joinSql(parts: readonly Sql[], between: string): Sql {
  if (parts.length === 0) return plainSql("");
  return new Sql(["", ...parts.slice(1).map(() => between), ""], parts);
}
