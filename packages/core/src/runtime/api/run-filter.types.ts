/** Which runs are listed. */
import type { RunOrder, StoredStatus } from "../store/run-store.types.js";
import type { TenantOptions } from "./runtime-names.types.js";

export interface RunFilter extends TenantOptions {
  readonly workflow?: string;
  /** Runs that a program of this version started, or has continued last. */
  readonly version?: string;
  /** Runs with one of these statuses. An empty list matches nothing. @default all */
  readonly status?: StoredStatus | readonly StoredStatus[];
  readonly labels?: { readonly [name: string]: string };
  /**
   * Values of the input, by the names of the `static index` of the workflow: runs that have all of them. `7` and `"7"` are the same.
   * Runs that started before the workflow had the name are not found.
   */
  readonly input?: { readonly [name: string]: string | number | boolean | null };
  readonly queue?: string;
  /** Id of a group of `statistics.failures`: runs that have failed that way and have not continued since. */
  readonly failure?: string;
  /** Step of the run's own workflow at which it failed or timed out. Runs that have continued since are not found. */
  readonly failedStep?: string;
  readonly createdAfter?: Date | number;
  readonly createdBefore?: Date | number;
  /**
   * Finds runs whose id begins with this text, that have it in the value of a label, or in the message of the error with which they
   * failed. A-Z are the same as a-z. A page holds what was found among 5,000 runs: it may be short, or empty, and still have a
   * cursor.
   */
  readonly search?: string;
  /** Order by the time of creation. @default "newest": the newest come first */
  readonly order?: RunOrder;
  /** Size of a page, from 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** `cursor` of the page before, in the same order. @default the first page */
  readonly cursor?: string;
}
