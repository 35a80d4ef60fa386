/** Which runs: filters, lists and jobs on many. */
import type { BulkAction, RunOrder } from "millrace/runtime";
import type { CallOptions, KeyedOptions, RunLabels } from "./call.types.js";
import type { RunSummary } from "./run.types.js";

/** Filter for runs. A run must satisfy every given condition. */
export interface RunSelection<Name extends string = string> extends CallOptions {
  readonly workflow?: Name | readonly Name[];
  /** Statuses of the runs. A run that waits or is queued counts as `running`, too. */
  readonly status?: FilterStatus | readonly FilterStatus[];
  /** `true`: only runs that wait for an answer, an event or a time. `false`: only others. */
  readonly waiting?: boolean;
  /** Runs that a program of this version started, or has continued last. */
  readonly version?: string;
  /** `true`: only runs that wait for a place of their queue. `false`: only others. */
  readonly queued?: boolean;
  /** Labels that the runs have, each with exactly this value. */
  readonly labels?: RunLabels;
  /** Values of the input, by the names of the `static index` of the workflow: runs that have all of them. */
  readonly input?: Readonly<Record<string, string | number | boolean | null>>;
  /** Only runs of this queue. */
  readonly queue?: string;
  /** The beginning of an id, or a part of a label's value or of an error. A-Z are the same as a-z. At most 200 characters. */
  readonly search?: string;
  /** Only runs created after this time: a Date, or epoch milliseconds. */
  readonly createdAfter?: Date | number;
  /** Only runs created before this time: a Date, or epoch milliseconds. */
  readonly createdBefore?: Date | number;
}

/** Which runs to list, and in which order. */
interface OrderedSelection<Name extends string> extends RunSelection<Name> {
  /** Id of a group of `failures`: runs that have failed that way and have not continued since. */
  readonly failure?: string;
  /** Step at which the runs failed or timed out. Runs that have continued since are not found. */
  readonly failedStep?: string;
  /** By the time at which they were created. @default "newest" */
  readonly order?: RunOrder;
}

export interface EachRunFilter<Name extends string = string> extends OrderedSelection<Name> {
  /** Runs per request: 1 to 1,000. @default 100 */
  readonly pageSize?: number;
}

export interface RunFilter<Name extends string = string> extends OrderedSelection<Name> {
  /** Maximum number of runs: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/**
 * A change of the runs of a list. `open`: changes are reported from now on; list the runs now. `changed`: the new state of a run of the
 * list. `gone`: a run has left the list, or was deleted. `reset`: changes were missed; list the runs again.
 */
export type RunListChange =
  | { readonly type: "open" }
  | { readonly type: "changed"; readonly run: RunSummary }
  | { readonly type: "gone"; readonly handlerId: string }
  | { readonly type: "reset" };

/** Statuses that a list can be asked for. */
export type FilterStatus = ListedStatus | "waiting" | "queued";

export type ListedStatus = "running" | "completed" | "failed" | "cancelled";

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Cursor for the next page; `null` on the last one. */
  readonly cursor: string | null;
}

/** Which runs a job acts on. */
export interface BulkWhere extends RunSelection {
  /** Id of a group of `failures`: runs that have failed that way and have not continued since. */
  readonly failure?: string;
  /** Step at which the runs failed or timed out. Runs that have continued since are not found. */
  readonly failedStep?: string;
}

/** One action on many runs. */
export interface BulkOptions extends KeyedOptions {
  readonly action: BulkAction;
  /** The runs, by at least one condition. Excludes `handlerIds`. */
  readonly where?: BulkWhere;
  /** Exactly these runs: 1 to 1,000 ids. Excludes `where`. */
  readonly handlerIds?: readonly string[];
  /**
   * Of `resume`: id of a job of `cancel`. The runs that it has cancelled, unless somebody has resumed them since. Excludes `where` and
   * `handlerIds`.
   */
  readonly cancelledBy?: string;
  /** Id of the job. @default derived from the `key`, or a random UUID */
  readonly handlerId?: string;
  /** How many runs are acted on per second, at most: 1 to 1,000. @default 100 */
  readonly perSecond?: number;
  /** Of `cancel`: the reason, which each run stores. */
  readonly reason?: string;
  /** Of `answer`: the fields of the answer, as JSON. A `Date`, or its text, is one where the answer of a run has a `Date`. */
  readonly fields?: object;
  /** Of `answer`: only prompts of this type. */
  readonly prompt?: string;
}

export interface MatchOptions extends CallOptions {
  readonly action: BulkAction;
  /** By at least one condition. Excludes `cancelledBy`. */
  readonly where?: BulkWhere;
  /** As of {@link BulkOptions}. */
  readonly cancelledBy?: string;
  /** Where counting stops: 1 to 100,000. @default 10000 */
  readonly most?: number;
}
