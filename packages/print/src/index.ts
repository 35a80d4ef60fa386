/**
 * `@millrace/print`: prints runs of pipelines, agents and teams in a terminal.
 *
 * @module
 */

export type { StreamingAgent } from "./print-agent.js";
export { printAgentResponse } from "./print-agent.js";
export { printOutput, printPipelineResponse, printRun } from "./print-run.js";
export type { PrintOptions, PrintTarget } from "./terminal.js";
