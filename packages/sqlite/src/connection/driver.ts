/**
 * The part of a SQLite module that the store uses. `node:sqlite` and `better-sqlite3` both have this shape.
 *
 * @module
 */
import { createRequire } from "node:module";
import { WorkflowError } from "millrace";

export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/** An open connection. Must return integers as numbers. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** Opens databases: an own implementation for the option `driver`. */
export interface SqliteDriver {
  open(path: string): SqliteDatabase;
}

export type SqliteDriverName = "node:sqlite" | "better-sqlite3";

type DatabaseConstructor = new (path: string) => SqliteDatabase;

/**
 * Chooses the driver: the given one, `node:sqlite` if this Node has it, or `better-sqlite3`.
 *
 * @throws {WorkflowError} `STORE_FAILED` when the driver is not installed.
 */
export function resolveDriver(driver: SqliteDriver | SqliteDriverName | undefined): SqliteDriver {
  if (typeof driver === "object") return driver;
  if (driver === undefined)
    return builtIn() ?? installed() ?? missing("Neither node:sqlite nor better-sqlite3 is there.");
  const found = driver === "node:sqlite" ? builtIn() : installed();
  return found ?? missing(`The SQLite driver ${driver} is not there.`);
}

function builtIn(): SqliteDriver | null {
  const module = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: DatabaseConstructor } | undefined;
  return module ? { open: (path) => new module.DatabaseSync(path) } : null;
}

function installed(): SqliteDriver | null {
  const require = createRequire(import.meta.url);
  try {
    const Database = require("better-sqlite3") as DatabaseConstructor;
    return { open: (path) => new Database(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return null;
    throw new WorkflowError({
      code: "STORE_FAILED",
      message: `better-sqlite3 is installed but cannot be loaded: ${(error as Error).message}`,
      hint: "Reinstall it for this version of Node.",
      details: { driver: "better-sqlite3" },
      cause: error,
    });
  }
}

function missing(message: string): never {
  throw new WorkflowError({
    code: "STORE_FAILED",
    message,
    hint: "Run on Node 22.13 or newer, or install better-sqlite3.",
    details: { node: process.version },
  });
}
