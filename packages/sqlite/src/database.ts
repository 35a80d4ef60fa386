import type { SqliteStatement } from "./driver.js";

/**
 * Where the tables are, to whoever reads and writes them.
 *
 * Everything is synchronous, so nothing of this process runs between the statements of a transaction.
 */
export interface Database {
  /** What errors call it. */
  readonly path: string;
  /** The same text gives the same statement. Keep the number of texts small. */
  sql(text: string): SqliteStatement;
  /** For a text of which there may be many. */
  sqlOnce(text: string): SqliteStatement;
  /** Runs `work` with what it throws in Millrace's terms. */
  guard<Result>(work: () => Result): Result;
  /** All of `work` is stored when this returns, or nothing of it when this throws. */
  write<Result>(work: () => Result): Result;
  /** Sees everything as it is at one moment, while other processes write. */
  read<Result>(work: () => Result): Result;
  close(): void;
}
