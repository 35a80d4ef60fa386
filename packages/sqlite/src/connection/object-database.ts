/**
 * The storage of a Durable Object as a {@link Database}.
 *
 * The platform delays every response and request of the object until earlier writes are stored, so no client sees
 * anything that could still be lost.
 *
 * @module
 */

import type { WorkflowError } from "millrace";
import { storeClosed } from "millrace/engine";
import { type Plain, toStoreError } from "../store-error.js";
import type { Database } from "./database.js";
import type { SqliteStatement, SqliteValue } from "./driver.js";

type ObjectSql = ObjectStorage["sql"];

/** The part of `ctx.storage` that the store uses. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...values: (string | number | null)[]): { toArray(): unknown[] } };
  transactionSync<Result>(work: () => Result): Result;
}

export class ObjectDatabase implements Database {
  readonly path: string = "Durable Object";
  readonly #storage: ObjectStorage;
  #isClosed = false;

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
  }

  /** The platform itself keeps the latest statements prepared. */
  sql(text: string): SqliteStatement {
    return new ObjectStatement(this.#storage.sql, text);
  }

  sqlOnce(text: string): SqliteStatement {
    return this.sql(text);
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

  /** No other writer exists: there is one object, and none of its code runs during a synchronous call. */
  read<Result>(work: () => Result): Result {
    return this.guard(work);
  }

  /** Does nothing: the storage belongs to the object. */
  close(): void {
    this.#isClosed = true;
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
    // A getter, because few callers read it, and those that do read it at once.
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

const plainByName: ReadonlyMap<string, Plain> = new Map([
  [
    "FULL",
    {
      code: "STORE_FULL",
      message: "the object has no room left. Nothing of this write was stored.",
      hint: "Delete runs that have ended, or spread the runs over more objects.",
    },
  ],
  [
    "TOOBIG",
    {
      code: "STORE_FAILED",
      message: "a text is larger than the storage of an object takes, which is 2 MB. Nothing of this write was stored.",
      hint: "Keep large values elsewhere, such as in R2, and only their keys in the run.",
    },
  ],
]);

/** Does the same as {@link toStoreError} for a Durable Object, whose errors name the result code only in their message. */
function toObjectError(error: unknown, path: string): WorkflowError {
  const [, name = ""] = /: SQLITE_([A-Z]+)\b/.exec(error instanceof Error ? error.message : "") ?? [];
  const plain = plainByName.get(name);
  return plain === undefined ? toStoreError(error, path) : toStoreError(error, path, plain);
}
