import { WorkflowError } from "millrace";
import { storeNewer } from "millrace/engine";
import type { FileDatabase } from "../connection/file-database.js";
import { damagedVersion, toStoreError } from "../store-error.js";
import { applicationId } from "./schema.js";

/**
 * Refuses a file that belongs to another program or a newer version. Writes nothing: the check comes before the first
 * change to the file.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`, `STORE_CORRUPT`.
 */
export function checkIdentity(database: FileDatabase, newest: number): void {
  const version = pragma(database, "user_version");
  const application = pragma(database, "application_id");
  const tables = database.sql("SELECT count(*) AS count FROM sqlite_schema").get() as { readonly count: number };
  if (application === applicationId) {
    if (version > newest) throw storeNewer("sqlite", { path: database.path, version, newest });
    // One transaction writes both the tables and the version.
    if (version < 0 || (version === 0 && tables.count > 0))
      throw toStoreError(undefined, database.path, damagedVersion(version));
    return;
  }
  if (application !== 0 || version !== 0 || tables.count > 0) throw foreign(database.path, application);
}

/**
 * Migrates the file to the newest version. When two processes do so at the same time, the second one finds nothing to
 * do.
 */
export function migrate(database: FileDatabase, migrations: readonly string[]): void {
  if (isCurrent(database, migrations)) return;
  database.write(() => {
    // Repeated inside the transaction: another process may have written since the first check.
    checkIdentity(database, migrations.length);
    const version = pragma(database, "user_version");
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });
}

function isCurrent(database: FileDatabase, migrations: readonly string[]): boolean {
  return pragma(database, "application_id") === applicationId && pragma(database, "user_version") === migrations.length;
}

function pragma(database: FileDatabase, name: "user_version" | "application_id"): number {
  const row = database.sql(`PRAGMA ${name}`).get() as { readonly [column: string]: number };
  return row[name] as number;
}

function foreign(path: string, application: number): WorkflowError {
  return new WorkflowError({
    code: "STORE_FOREIGN",
    message: `The file "${path}" is a SQLite database of another program.`,
    hint: "Use a separate file for Millrace.",
    details: { path, applicationId: application },
  });
}
