import type { RunHandle } from "millrace/runtime";

/** Wraps the handle, which is a promise: an async function that returned it bare would wait for the result of the run. */
export interface FoundTask {
  readonly handle: RunHandle;
  readonly contextId: string;
}
