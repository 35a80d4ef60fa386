/**
 * `@millrace/client/react`: runs in React.
 *
 * @module
 */
export { useRun } from "./react/use-run.js";
export type { UseRun, UseRunOptions } from "./react/use-run.js";
export type { RunView } from "./react/run-view.types.js";
