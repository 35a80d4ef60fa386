/**
 * `@millrace/restate`: runs on Restate, which owns placement, failover, timers and the inbox.
 *
 * @module
 */
export { createRestateHost } from "./host/create-host.js";
export type { RestateHost } from "./host/create-host.js";
export type { RestateHostOptions } from "./host/options.js";
export { connect } from "./client/connect.js";
export type { ConnectOptions } from "./client/connect.js";
export type { RecordStore } from "./kept/record-store.js";
