/**
 * One connection to a file: its statements, prepared once each, and its transactions.
 *
 * @module
 */
import type { Database } from "./database.js";
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from "./driver.js";
import { toFileError } from "./file-error.js";
import { storeClosed } from "./store-error.js";

export class FileDatabase implements Database {
  readonly path: string;
  readonly #connection: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  #isClosed = false;

  constructor(path: string, driver: SqliteDriver) {
    this.path = path;
    try {
      this.#connection = driver.open(path);
    } catch (error) {
      throw toFileError(error, path);
    }
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

  /** Several statements without values. */
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

  #rollback(): void {
    try {
      this.sql("ROLLBACK").run();
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full: there is no transaction any more.
    }
  }
}
