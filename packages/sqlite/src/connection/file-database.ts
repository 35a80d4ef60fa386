/**
 * A connection to a file: its statements, each prepared once, and its transactions.
 *
 * @module
 */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { WorkflowError } from "millrace";
import { storeClosed } from "millrace/engine";
import { gone, readOnly, resultOf, toStoreError } from "../store-error.js";
import type { Database } from "./database.js";
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from "./driver.js";

interface FileIdentity {
  readonly inode: number;
  readonly device: number;
}

function identityOf(path: string): FileIdentity | null {
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? null : { inode: file.ino, device: file.dev };
}

export class FileDatabase implements Database {
  readonly path: string;
  readonly #connection: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  /** Identity of the file; `null` for a database that is not a file, such as `:memory:`, or before the file exists. */
  #file: FileIdentity | null = null;
  #place = "";
  #isClosed = false;

  constructor(path: string, driver: SqliteDriver) {
    this.path = path;
    try {
      this.#connection = driver.open(path);
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  /** Makes every later write check that the file still exists. Called once the file exists. */
  watchFile(): void {
    this.#place = resolve(this.path); // absolute, because the process may change its directory
    this.#file = identityOf(this.#place);
  }

  sql(text: string): SqliteStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#connection.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  sqlOnce(text: string): SqliteStatement {
    return this.#connection.prepare(text);
  }

  /** Runs several statements without values. */
  exec(text: string): void {
    this.#connection.exec(text);
  }

  guard<Result>(work: () => Result): Result {
    if (this.#isClosed) throw storeClosed(this.path);
    try {
      return work();
    } catch (error) {
      throw toFileError(error, this.path);
    }
  }

  write<Result>(work: () => Result): Result {
    return this.guard(() => {
      this.#assertThere();
      this.sql("BEGIN IMMEDIATE").run();
      try {
        const result = work();
        this.sql("COMMIT").run();
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    });
  }

  read<Result>(work: () => Result): Result {
    return this.guard(() => {
      this.sql("BEGIN").run();
      try {
        return work();
      } finally {
        this.#rollback();
      }
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    try {
      this.#connection.close();
    } catch (error) {
      throw toFileError(error, this.path);
    }
  }

  /** Refuses writes after the file was deleted or replaced; SQLite would write to a file without a name. */
  #assertThere(): void {
    if (this.#file === null) return;
    const now = identityOf(this.#place);
    if (now?.inode !== this.#file.inode || now.device !== this.#file.device)
      throw toStoreError(undefined, this.path, gone);
  }

  #rollback(): void {
    try {
      this.sql("ROLLBACK").run();
    } catch {
      // SQLite has already rolled back by itself, for example because the disk is full.
    }
  }
}

/** Does the same as {@link toStoreError} for a file: SQLite also reports "cannot open" if it may not write. */
function toFileError(error: unknown, path: string): WorkflowError {
  const isReadOnly = resultOf(error) === 14 && !isWritable(dirname(path));
  return isReadOnly ? toStoreError(error, path, readOnly) : toStoreError(error, path);
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
