/** Many runs and sessions in a SQLite file. Runs are copies of one that was really run: to run each of them would take longer than all tests. */
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@millrace/sqlite";

/** Copies are named `bulk-<number>`, and began one second apart, the first the latest. */
export function copyRun(file: string, runId: string, copies: number): void {
  using database = new DatabaseSync(file);
  const columnsOf = (table: string): string[] =>
    database
      .prepare(`SELECT name FROM pragma_table_info(?)`)
      .all(table)
      .map(({ name }) => String(name));
  const { id } = database.prepare("SELECT id FROM runs WHERE run_id = ?").get(runId) as { id: number };
  const numbers = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)";
  const replaced: Readonly<Record<string, string>> = {
    id: "id + 1000000 + n",
    run: "run + 1000000 + n",
    run_id: "'bulk-' || n",
    created_at: "created_at - n * 1000",
    updated_at: "updated_at - n * 1000",
    ended_at: "ended_at - n * 1000",
    // One in a hundred has failed, so that there is something to look for.
    status: "CASE WHEN n % 100 = 0 THEN 'failed' ELSE status END",
  };
  database.exec("BEGIN");
  for (const [table, key] of [
    ["runs", "id"],
    ["starts", "run"],
    ["labels", "run"],
  ] as const) {
    const columns = columnsOf(table);
    const values = columns.map((column) => replaced[column] ?? column);
    const sql = `${numbers} INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, numbers WHERE ${key} = ?`;
    database.prepare(sql).run(copies, id);
  }
  database.exec("COMMIT");
}

/** @param counts How many sessions of each kind there are. Their ids are `<kind>-<number>`. */
export async function writeSessions(file: string, counts: Readonly<Record<string, number>>): Promise<void> {
  const store = sqliteStore(file);
  const writes = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, number) => ({
      tenant: "",
      kind,
      id: `${kind}-${number}`,
      expected: 0,
      text: '{"json":{"runs":[]}}',
    })),
  );
  await store.writeRecords(writes);
  await store.close();
}
