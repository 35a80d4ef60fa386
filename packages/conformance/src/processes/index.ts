/**
 * Processes for the tests of stores: none of them outlives the process that has started it.
 *
 * @module
 */
export { endsWithUs } from "./ends-with-us.js";
export { nodeFlags } from "./node-flags.js";
export { ScriptProcess } from "./script-process.js";
