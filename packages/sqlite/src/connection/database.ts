import type { SqliteStatement } from "./driver.js";

/**
 * Access to the tables.
 *
 * All methods are synchronous, so no other code of this process runs between the statements of a transaction.
 */
export interface Database {
  /** Name of the database in errors. */
  readonly path: string;
  /**
   * Prepares each text once and keeps the statement: use few different texts. Write `LIMIT ? + 0`: SQLite prepares a statement
   * with a bare `LIMIT ?` again for each call, which takes longer than most reads.
   */
  sql(text: string): SqliteStatement;
  /** Runs a text with many variants, whose statement is not kept. */
  sqlOnce(text: string): SqliteStatement;
  /** Runs `work` and converts its errors to errors of Millrace. */
  guard<Result>(work: () => Result): Result;
  /** Runs `work` in a transaction: stores everything, or nothing when `work` throws. */
  write<Result>(work: () => Result): Result;
  /** Runs `work` on one consistent version of the data, while other processes may write. */
  read<Result>(work: () => Result): Result;
  close(): void;
}
