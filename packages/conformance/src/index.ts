/**
 * Tests for every run store.
 *
 * @module
 */
export { journalsSuite } from "./run-store/journals.js";
export { type OpenedStore, runStoreSuite } from "./run-store/suite.js";
