/**
 * The storage of a Durable Object as a {@link Database}.
 *
 * The platform holds every answer and request that leaves the object until what was written before is stored, so nobody
 * outside sees what may still be lost.
 *
 * @module
 */
import type { Database } from "./database.js";
import type { SqliteStatement, SqliteValue } from "./driver.js";
import { toObjectError } from "./object-error.js";
import { storeClosed } from "./store-error.js";

type ObjectSql = ObjectStorage["sql"];

/** The part of `ctx.storage` that the store uses. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...values: (string | number | null)[]): { toArray(): unknown[] } };
  transactionSync<Result>(work: () => Result): Result;
}

export class ObjectDatabase implements Database {
  readonly path: string = "Durable Object";
  readonly #storage: ObjectStorage;
  readonly #statements = new Map<string, SqliteStatement>();
  #isClosed = false;

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
  }

  sql(text: string): SqliteStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.sqlOnce(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** What it costs to prepare a text again is spared by the platform, which knows the latest ones. */
  sqlOnce(text: string): SqliteStatement {
    return new ObjectStatement(this.#storage.sql, text);
  }

  guard<Result>(work: () => Result): Result {
    if (this.#isClosed) throw storeClosed(this.path);
    try {
      return work();
    } catch (error) {
      throw toObjectError(error, this.path);
    }
  }

  write<Result>(work: () => Result): Result {
    return this.guard(() => this.#storage.transactionSync(work));
  }

  /** Nobody else writes: there is one object, and nothing of it runs meanwhile. */
  read<Result>(work: () => Result): Result {
    return this.guard(work);
  }

  /** The storage is the object's, and stays. */
  close(): void {
    this.#isClosed = true;
    this.#statements.clear();
  }
}

class ObjectStatement implements SqliteStatement {
  readonly #sql: ObjectSql;
  readonly #text: string;

  constructor(sql: ObjectSql, text: string) {
    this.#sql = sql;
    this.#text = text;
  }

  run(...values: SqliteValue[]): { readonly changes: number; readonly lastInsertRowid: number } {
    this.all(...values);
    const sql = this.#sql;
    const ask = (what: string): number => (sql.exec(`SELECT ${what} AS n`).toArray()[0] as { readonly n: number }).n;
    // Asked for only by whoever reads it, which is at once.
    return {
      get changes() {
        return ask("changes()");
      },
      get lastInsertRowid() {
        return ask("last_insert_rowid()");
      },
    };
  }

  get(...values: SqliteValue[]): unknown {
    return this.all(...values)[0];
  }

  all(...values: SqliteValue[]): unknown[] {
    return this.#sql.exec(this.#text, ...(values as (string | number | null)[])).toArray();
  }
}
