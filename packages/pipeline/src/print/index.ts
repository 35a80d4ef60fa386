/**
 * `@millrace/pipeline/print`: runs of pipelines in a terminal.
 *
 * @module
 */

export type { PrintOptions, PrintTarget } from "./print-options.js";
export { printOutput } from "./print-output.js";
export { printResponse } from "./print-response.js";
export { printRun } from "./print-run.js";
