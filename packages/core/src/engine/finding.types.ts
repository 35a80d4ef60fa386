/** What is wrong with the definition of a workflow, as checks find and report it. */

/** A problem of a workflow. */
export interface Finding {
  /** The check that has found it; or the error code, such as `RESOURCE_FAILED`, when the mistake has its own code. */
  readonly check: string;
  readonly step?: string;
  readonly event?: string;
  readonly message: string;
  readonly hint: string;
}

/** Reports a problem of a step. @param message To be read after the name of the step. */
export type Report = (check: string, message: string, hint: string) => void;
