/**
 * `@millrace/pipeline/print`: prints runs of pipelines, agents and teams in a terminal.
 *
 * @module
 */

export type { StreamingAgent } from "./print-agent.js";
export { printAgentResponse } from "./print-agent.js";
export type { PrintOptions, PrintTarget } from "./print-options.js";
export { printOutput } from "./print-output.js";
export { printResponse } from "./print-response.js";
export { printRun } from "./print-run.js";
