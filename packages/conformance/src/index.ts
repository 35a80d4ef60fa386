/**
 * What every run store has to do, as tests.
 *
 * @module
 */
export { type OpenedStore, runStoreSuite } from "./run-store/suite.js";
