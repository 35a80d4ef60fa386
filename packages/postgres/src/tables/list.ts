import { joinSql, type ListDialect, type ListReader, plainSql, type Sql, sql } from "millrace/engine";
import type { Database } from "../connection/database.js";
import type { Row } from "../connection/session.js";
import { hashOf, numberOf } from "../text/values.js";
import { type RunReader, runColumns, runJoins, toRun } from "./stored-run.js";

// One index step for each tenant, however many runs it has. With EXISTS, it could be a join that reads all runs.
const allTenants =
  "SELECT name FROM @tenants t WHERE (SELECT true FROM @runs r WHERE r.tenant = t.id LIMIT 1) ORDER BY id";

export async function listTenants(database: Database): Promise<string[]> {
  return (await database.all(allTenants, [])).map(({ name }) => name as string);
}

const idOf = (table: "tenants" | "queues", name: string): Sql =>
  sql`(SELECT id FROM ${plainSql(`@${table}`)} WHERE hash = ${hashOf(name)})`;

const dialect: ListDialect = {
  runs: () => plainSql("@runs AS q"),
  namedRuns: (table) => plainSql(`@${table} AS l JOIN @runs AS q ON q.id = l.run`),
  tenant: (table, name) => sql`${plainSql(table)}.tenant = ${idOf("tenants", name)}`,
  named: (name, value) => sql`l.number = ${numberOf(name, value)} AND l.name = ${name} AND l.value = ${value}`,
  hasNamed: (table, name, value) =>
    sql`EXISTS (SELECT 1 FROM ${plainSql(`@${table}`)} AS o WHERE o.run = q.id AND o.name = ${name} AND o.value = ${value})`,
  queue: (name) => sql`q.queue = ${idOf("queues", name)}`,
  workflowKey: (name) => sql`q.workflow_number = ${numberOf(name)}`,
  // The pattern of each row by itself: with EXISTS, the labels of all runs could be looked through first. With the collation of the
  // database, ILIKE takes several times as long.
  search: ({ id, value, outcome }) => sql`(q.run_id COLLATE "C" ILIKE ${id} ESCAPE '\\'
    OR (SELECT bool_or(f.value ILIKE ${value} ESCAPE '\\') FROM @labels AS f WHERE f.run = q.id)
    OR (q.status = 'failed' AND q.outcome COLLATE "C" ILIKE ${outcome} ESCAPE '\\'))`,
  // Each walk stops by itself: the planner merges none.
  union: (walks, order, limit) =>
    sql`SELECT id, created_at FROM (${joinSql(
      walks.map((walk) => sql`(${walk} ${order} LIMIT ${limit})`),
      " UNION ALL ",
    )}) AS walks`,
  all: (walks) => joinSql(walks, " UNION ALL "),
  rowsOf: (page, order) => sql`SELECT ${plainSql(runColumns)}
    FROM ${page} AS page JOIN @runs AS r ON r.id = page.id ${plainSql(runJoins)} ${order}`,
};

export function listReader(reader: RunReader): ListReader {
  return {
    dialect,
    read: (statement) => {
      const { text, values } = statement.render((number) => `$${number}`);
      return reader.database.allOnce(text, values);
    },
    toRun: (row) => ({ id: (row as Row)["id"] as number, run: toRun(reader, row as Row) }),
  };
}
