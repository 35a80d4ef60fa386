import { WorkflowError } from "millrace";
import { storeNewer } from "millrace/engine";
import type { ObjectDatabase } from "../connection/object-database.js";
import { migrations } from "./schema.js";

// Durable Objects lack the pragmas that hold the version of a file.
const createVersion = "CREATE TABLE millrace (version INTEGER NOT NULL) STRICT";
const readVersion = "SELECT version FROM millrace";
const setVersion = "INSERT INTO millrace (version) VALUES (?)";
const clearVersion = "DELETE FROM millrace";
const tablesOf = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT value FROM json_each(?))";

/**
 * Migrates the tables to this version, beside the object's own tables.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`.
 */
export function migrateObject(database: ObjectDatabase): void {
  database.write(() => {
    const version = versionOf(database);
    const newest = migrations.length;
    if (version > newest) throw storeNewer("sqlite", { path: database.path, version, newest });
    if (version === newest) return;
    assertFree(database, migrations.slice(version));
    if (version === 0) database.sqlOnce(createVersion).run();
    for (const migration of migrations.slice(version)) database.sqlOnce(migration).run();
    database.sqlOnce(clearVersion).run();
    database.sqlOnce(setVersion).run(newest);
  });
}

/** Returns 0 when there are no tables of Millrace. */
function versionOf(database: ObjectDatabase): number {
  if (namesOf(database, ["millrace"]).length === 0) return 0;
  return (database.sqlOnce(readVersion).get() as { readonly version: number }).version;
}

function assertFree(database: ObjectDatabase, texts: readonly string[]): void {
  const ours = texts.flatMap((text) => [...text.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name as string));
  const [taken] = namesOf(database, ours);
  if (taken === undefined) return;
  throw new WorkflowError({
    code: "STORE_FOREIGN",
    message: `The Durable Object already has a table "${taken}", and the store needs that name.`,
    hint: "Use a separate Durable Object for Millrace, or rename your table.",
    details: { path: database.path, table: taken },
  });
}

function namesOf(database: ObjectDatabase, names: readonly string[]): string[] {
  const rows = database.sqlOnce(tablesOf).all(JSON.stringify(names)) as { readonly name: string }[];
  return rows.map(({ name }) => name);
}
