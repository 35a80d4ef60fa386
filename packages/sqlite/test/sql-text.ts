/** A database file as SQL text, so that what a released version wrote can be kept beside the tests. */
import { DatabaseSync } from "node:sqlite";

interface Made {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Which process holds which run is left out: all of them are gone. */
const ofThisMachine = new Set(["owners"]);

/** The tables, their rows and the identity of the file. */
export function sqlTextOf(path: string): string {
  const database = new DatabaseSync(path);
  const all = (sql: string): { readonly [column: string]: unknown }[] => database.prepare(sql).all();
  const lines = ["application_id", "user_version"].map(
    (pragma) => `PRAGMA ${pragma} = ${all(`PRAGMA ${pragma}`)[0]?.[pragma]};`,
  );
  const made = all(
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid",
  ) as unknown as Made[];
  for (const { type, name, sql } of made) {
    if (name.startsWith("sqlite_")) continue;
    lines.push(`${sql};`);
    if (type === "table") lines.push(...rowsOf(name));
  }
  lines.push(...rowsOf("sqlite_sequence"));
  database.close();
  return `${lines.join("\n")}\n`;

  function rowsOf(table: string): string[] {
    const columns = all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name));
    const values = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
    const filter = ofThisMachine.has(table) ? " WHERE owner IS NULL" : "";
    return all(`SELECT ${values} AS row FROM "${table}"${filter}`).map(
      ({ row }) => `INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${row});`,
    );
  }
}

export function writeSqlText(path: string, text: string): void {
  const database = new DatabaseSync(path);
  database.exec(`BEGIN; ${text} COMMIT;`);
  database.close();
}
