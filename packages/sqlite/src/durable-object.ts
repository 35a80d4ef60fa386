/**
 * `@millrace/sqlite/durable-object`: durable runs in the SQLite storage of a Durable Object. Uses nothing of Node.
 *
 * @module
 */
export { durableObjectStore } from "./durable-object-store.js";

export type { ObjectStorage } from "./connection/object-database.js";
