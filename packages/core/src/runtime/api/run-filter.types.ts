/** Filters that select runs, and requests that act on them. */

import type { Workflow } from "../../authoring/workflow.types.js";
import type { DoneBy } from "../../host.js";
import type { RunOrder, StoredStatus } from "../store/run-store.types.js";

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

// ---- names that calls of a runtime use

// any: a workflow with any state.
export type Workflows = { readonly [name: string]: Workflow<any> };

export interface TenantOptions {
  /** @default "" */
  readonly tenant?: string;
}

export interface CallerOptions {
  /**
   * Who does it, and through which door: texts by the rules of labels. It is stored in the journal, where `history` shows it,
   * and in the audit.
   *
   * @default not known
   */
  readonly by?: DoneBy;
}

// ---- one action on many runs

export type BulkAction = "retry" | "resume" | "cancel" | "delete" | "answer";

/**
 * Runs that an action is done to. At least one condition.
 *
 * Only runs that the action fits are meant: failed and timed-out ones for `retry`, cancelled ones for `resume`, those that have not
 * ended for `cancel` and `answer`, all for `delete`.
 */
export interface BulkWhere extends Omit<RunFilter, "tenant" | "order" | "limit" | "cursor"> {
  /** Runs of one of these workflows. An empty list matches nothing. @default all */
  readonly workflows?: readonly string[];
}

/** The runs, by a condition or by their ids. */
export interface BulkSelection extends TenantOptions {
  readonly action: BulkAction;
  /** Runs that were created before the job began. Excludes `runIds`. */
  readonly where?: BulkWhere;
  /** Exactly these runs: 1 to 1,000 ids. Excludes `where`. */
  readonly runIds?: readonly string[];
  /**
   * Id of a job of `cancel`, for `resume`: selects the runs that it has cancelled, unless somebody has resumed them since.
   * Excludes `runIds`, and conditions other than `where.workflows`.
   */
  readonly cancelledBy?: string;
}

export interface BulkOptions extends BulkSelection, CallerOptions {
  /** Id of the job. A job with this id and the same options is returned; another one is `RUN_ID_CONFLICT`. @default a new unique id */
  readonly runId?: string;
  /** How many runs are acted on per second, at most. Integer from 1 to 1,000. @default 100 */
  readonly perSecond?: number;
  /** Reason of the cancellations, for `cancel`. JSON. @default none */
  readonly reason?: unknown;
  /**
   * Fields of the answer, for `answer`. JSON: a text such as `"2026-11-29"` or `"2026-11-29T14:30:00Z"` becomes a `Date` where the
   * answer has one. @default {}
   */
  readonly fields?: object;
  /** Type of the prompt, for `answer`. A run with several open prompts of that type is skipped. @default any type */
  readonly prompt?: string;
}

/** Runs that were not changed, with the reason. */
export interface BulkProblem {
  readonly runId: string;
  /** `skipped`: the action does not fit the run any more, such as `RUN_FINISHED` of a cancellation. `failed`: anything else. */
  readonly outcome: "skipped" | "failed";
  /** Code of the error. */
  readonly code: string;
  readonly message: string;
}

/** How far a job is. */
export interface BulkCounts {
  /** Runs that matched when the job began; `null` for more than 100,000. */
  readonly matched: number | null;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

export interface BulkResult extends BulkCounts {
  readonly action: BulkAction;
  /** How many runs were skipped or failed, by the code of the error. */
  readonly codes: { readonly [code: string]: number };
  /** The first 1,000 runs that were skipped or failed. */
  readonly problems: readonly BulkProblem[];
}

/** How many runs match. */
export interface RunMatches {
  readonly count: number;
  /** `false` if there are more, which were not counted. */
  readonly isAll: boolean;
}

export interface MatchOptions extends BulkSelection {
  /** Where counting stops. Integer, at least 1. @default 100000 */
  readonly most?: number;
}
