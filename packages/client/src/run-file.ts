/**
 * A run as a file: `saveRun` reads it from a server, and `runFileFetch` shows it without one.
 *
 * @module
 */
export { packRunFile, type ReadRunFileOptions, readRunFile } from "./run-file/pack.js";
export { partsOf, partsOfTicks, type TickedRun } from "./run-file/parts-of.js";
export type { RunFile, SavedInput, SavedMoment, SavedWorkflow } from "./run-file/run-file.types.js";
export { runFileFetch } from "./run-file/run-file-fetch.js";
export { type SaveRunOptions, saveRun } from "./run-file/save-run.js";
