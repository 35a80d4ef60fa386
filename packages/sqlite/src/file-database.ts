/**
 * One connection to a file: its statements, prepared once each, and its transactions.
 *
 * @module
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "./database.js";
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from "./driver.js";
import { toFileError } from "./file-error.js";
import { gone, storeClosed, toStoreError } from "./store-error.js";

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
  /** Null: it is none of the file system, such as `:memory:`, or not there yet. */
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

  /** From here on, a write to a file that is gone is refused. Called once the file is there. */
  watchFile(): void {
    this.#place = resolve(this.path); // the process may change its directory
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

  /** SQLite itself writes on to a file that nobody will find again. */
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
      // SQLite has rolled back by itself, as it does when the disk is full: there is no transaction any more.
    }
  }
}
