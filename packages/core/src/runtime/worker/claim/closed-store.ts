/**
 * Reports once that the store was closed before its runtime was stopped. The background tasks of the runtime show each failure to it, and
 * end if it is of a closed store: no later try can succeed.
 *
 * @module
 */

import { WorkflowError } from "../../../errors/workflow-error.js";
import type { Log } from "../../../host.js";

export class ClosedStore {
  readonly #log: Log;
  #isReported = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Whether the failure is of a store that has been closed. Reports the first. */
  caused(error: unknown): boolean {
    if (!WorkflowError.is(error, "STORE_CLOSED")) return false;
    if (!this.#isReported)
      this.#log.error("The store was closed before its runtime was stopped: the runtime has stopped working.", error);
    this.#isReported = true;
    return true;
  }
}
