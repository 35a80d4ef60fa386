/**
 * `@millrace/sqlite/durable-object`: durable runs in the SQLite storage of a Durable Object. Nothing of Node is needed.
 *
 * @module
 */
export { durableObjectStore } from "./durable-object-store.js";

export type { ObjectStorage } from "./object-database.js";
