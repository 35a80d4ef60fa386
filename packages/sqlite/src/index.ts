/**
 * `@millrace/sqlite`: durable runs in one SQLite file.
 *
 * @module
 */
export { sqliteStore } from "./sqlite-store.js";
export type { SqliteStoreOptions } from "./sqlite-store.js";

export type {
  SqliteDatabase,
  SqliteDriver,
  SqliteDriverName,
  SqliteStatement,
  SqliteValue,
} from "./connection/driver.js";
