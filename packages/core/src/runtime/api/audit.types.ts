/** What people and programs have done to runs, over all runs of a tenant. */
import type { DoneBy } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { TenantOptions } from "./runtime-names.types.js";

export type AuditAction =
  | "start"
  | "fork"
  | "answer"
  | "send"
  | "cancel"
  | "resume"
  | "retry"
  | "delete"
  | `queue.${"pause" | "resume" | "limit" | "reset"}`
  | `schedule.${"set" | "pause" | "resume" | "edit" | "reset" | "start" | "delete"}`;

/** One thing that was done to a run, a queue or a schedule. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** `send`: the run may have refused the event. Each of the others was done. */
  readonly action: AuditAction;
  /** Of a fork, the new run. The run may be deleted since. `""` for a queue, and for a schedule of which no run was started. */
  readonly runId: string;
  /** `""` for a queue. */
  readonly workflow: string;
  readonly by: DoneBy;
  /** Of an answer. */
  readonly promptId?: string;
  /** Name of the queue that was changed. */
  readonly queue?: string;
  /** Name of the schedule that was changed. */
  readonly schedule?: string;
}

export interface AuditFilter extends TenantOptions {
  /** `user` of `by`. @default all, and those without a user */
  readonly user?: string;
  /** `door` of `by`. @default all */
  readonly door?: string;
  readonly action?: AuditAction;
  readonly runId?: string;
  /** Entries of one of these workflows. An empty list matches nothing. @default all */
  readonly workflows?: readonly string[];
  /** Size of a page, from 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** `cursor` of the page before, with the same filter. @default the first page */
  readonly cursor?: string;
}

export interface AuditPage {
  /** The newest first. A page holds what was found among 5,000 entries: it may be short, or empty, and still have a cursor. */
  readonly entries: readonly AuditEntry[];
  /** For the next page; `null` on the last one. */
  readonly cursor: string | null;
}

/**
 * Who did what: every start, fork, answer, sent event, cancellation, resumption, retry and deletion, and every change of a queue or a
 * schedule, that came with the option `by`.
 *
 * An entry is stored together with what it says, and stays when its run is deleted. What a program does under the door `"api"` without a
 * user has no entry. Over Restate there are no entries.
 */
export interface RuntimeAudit {
  /** @throws {WorkflowError} `OPTION_INVALID` */
  list(filter?: AuditFilter): Promise<AuditPage>;
  /** Deletes old entries of one tenant. Returns how many. @throws {WorkflowError} `OPTION_INVALID` */
  delete(options: TenantOptions & { readonly olderThan: Duration }): Promise<number>;
}
