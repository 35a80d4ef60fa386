/**
 * Tests for every run store.
 *
 * @module
 */
export { type OpenedStore, runStoreSuite } from "./run-store/suite.js";
