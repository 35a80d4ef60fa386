import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunStore } from "millrace/runtime";
import { onTestFinished } from "vitest";
import type { SqliteDatabase, SqliteDriverName } from "../src/index.js";
import { type SqliteStoreOptions, sqliteStore } from "../src/index.js";
import { patienceMs } from "./runs.js";

export const drivers: readonly SqliteDriverName[] = ["node:sqlite", "better-sqlite3"];

type DatabaseConstructor = new (path: string, options?: { readonly readonly?: boolean }) => SqliteDatabase;

const BetterSqlite3 = createRequire(import.meta.url)("better-sqlite3") as DatabaseConstructor;

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "millrace-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function temporaryFile(): string {
  return join(temporaryDirectory(), "runs.db");
}

/** A store that is closed with the test. Waits for the file as long as a machine may let another process stand still. */
export function openStore(path: string, options: SqliteStoreOptions = {}): RunStore {
  const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, ...options });
  onTestFinished(() => store.close());
  return store;
}

/**
 * SQLite without a store, to look behind its back. With the driver of the store: two copies of SQLite in one process do not
 * see each other's locks.
 */
export function openRaw(path: string, driver: SqliteDriverName = "node:sqlite"): SqliteDatabase {
  const database = driver === "node:sqlite" ? new DatabaseSync(path) : new BetterSqlite3(path);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) database.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { exec: (sql) => database.exec(sql), prepare: (sql) => database.prepare(sql), close };
}

/** Opens for reading only, so that SQLite refuses to write whoever runs the test. */
export function openReadOnly(path: string, driver: SqliteDriverName): SqliteDatabase {
  return driver === "node:sqlite"
    ? new DatabaseSync(path, { readOnly: true })
    : new BetterSqlite3(path, { readonly: true });
}

export function rowsOf(database: SqliteDatabase, sql: string): { [column: string]: unknown }[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...(row as object) }));
}
