/**
 * `@millrace/postgres`: durable runs in PostgreSQL.
 *
 * @module
 */
export { postgresStore } from "./postgres-store.js";
export type { PostgresStoreOptions } from "./postgres-store.js";

export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from "./connection/driver.types.js";
