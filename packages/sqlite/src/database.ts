/**
 * One connection to the file: its statements, prepared once each, and its transactions.
 *
 * Everything is synchronous, so nothing of this process runs between the statements of a transaction.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from "./driver.js";
import { toStoreError } from "./store-error.js";

export class Database {
  readonly path: string;
  readonly #connection: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  #isClosed = false;

  constructor(path: string, driver: SqliteDriver) {
    this.path = path;
    try {
      this.#connection = driver.open(path);
    } catch (error) {
      throw toStoreError(error, path);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The same text gives the same statement. Keep the number of texts small. */
  sql(text: string): SqliteStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#connection.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** For a text of which there may be many. */
  sqlOnce(text: string): SqliteStatement {
    return this.#connection.prepare(text);
  }

  /** Several statements without values. */
  exec(text: string): void {
    this.#connection.exec(text);
  }

  /** Runs `work` with what it throws in Millrace's terms. */
  guard<Result>(work: () => Result): Result {
    if (this.#isClosed) throw closed(this.path);
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, this.path);
    }
  }

  /** All of `work` is on disk when this returns, or nothing of it when this throws. */
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

  /** Sees the file as it is at one moment, while other processes write to it. */
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
      throw toStoreError(error, this.path);
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

function closed(path: string): WorkflowError {
  return new WorkflowError({
    code: "STORE_CLOSED",
    message: `The store "${path}" has been closed.`,
    hint: "Close the store last. A runtime closes its store when it stops.",
    details: { path },
  });
}
