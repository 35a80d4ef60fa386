/**
 * Types of the past of a run: its ticks, attempts and children, the run as it was after a tick, and the audit. Also a run on its way from
 * one store to another: a list of plain JSON parts, the first of type `run`, the last of type `end`. They hold the texts of the store,
 * with large values inlined: no part names a blob.
 *
 * @module
 */
import type { PendingPrompt } from "../../authoring/handler.types.js";
import type { DoneBy, PendingDelivery, RunStatus, Tick, WorkflowEvent } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { AuditActionRecord } from "../../wire/server.types.js";
import type { RecordKey, RunKey, StoredRun, StoredStatus } from "../store/run-store.types.js";
import type { TenantOptions } from "./run-filter.types.js";

export interface HistoryEntry {
  /** Number of the tick, for `stateAt` and `fork`. From 1; `run.forked` of a fork has 0. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Id of the run that it happened to: this run, or a child. */
  readonly runId: string;
  readonly tick: Tick | RunForked;
}

/** A tick, with facts that only follow from earlier ticks. */
export interface DetailedEntry extends HistoryEntry {
  /** Step of the work item that the tick is about; `null` if there is none, or if the run cannot be rebuilt there. */
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  /** Changes that the tick made in the state of its run. */
  readonly changes: readonly ChangedValue[];
}

/** How a fork begins: entry 0 of its history. It is not a tick. */
export interface RunForked {
  readonly type: "run.forked";
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** The original run, and the tick after which the fork begins. */
  readonly from: { readonly runId: string; readonly tick: number };
  /** Who made the fork. Absent if not known. */
  readonly by?: DoneBy;
  /** The state that it begins with, after the edits of `fork`. */
  readonly state: unknown;
}

/** A place of a state that has another value now. */
export interface ChangedValue {
  /** Names of fields, positions in lists, keys of maps. Empty for the whole state. */
  readonly path: readonly (string | number)[];
  /** The value before. Absent if there was none. */
  readonly old?: unknown;
  /** Absent if the value was removed. */
  readonly new?: unknown;
}

/**
 * `queued`: its input is there, and it waits for a free worker of its step. `retrying`: it has failed, and another attempt follows.
 * `restarted`: the run was loaded again, or retried, before the attempt ended; another one follows. `cancelled`: the run ended
 * first, or its result was not needed any more.
 */
export type AttemptStatus =
  | "queued"
  | "running"
  | "waiting"
  | "completed"
  | "failed"
  | "retrying"
  | "restarted"
  | "cancelled";

/** One attempt of a step for one work item. */
export interface RunAttempt {
  /** Id of the run that it belongs to: this run, or a child. */
  readonly runId: string;
  readonly workflow: string;
  readonly step: string;
  /** Id of the work item within its run. */
  readonly item: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Epoch milliseconds. For an attempt that has not ended, the time of the tick that started it. */
  readonly startedAtMs: number;
  readonly startedTick: number;
  readonly endedAtMs: number | null;
  readonly endedTick: number | null;
  readonly status: AttemptStatus;
  /** Error with which the attempt failed. The code is `STEP_FAILED` for an error that is not a `WorkflowError`. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** `true` if it has ended, and no other attempt of the item follows by itself. */
  readonly isFinal: boolean;
  readonly retryAtMs: number | null;
  /** Type of its input event; `null` for several events. */
  readonly eventType: string | null;
  readonly waits: readonly AttemptWait[];
  /** Its calls of `ctx.run` in the order in which they began: the first 1,000. */
  readonly calls: readonly RunCall[];
  /** Number of its other calls. */
  readonly moreCalls: number;
}

/** `waiting`: it has failed, and its next attempt has a time. `interrupted`: the attempt of the step ended first. */
export type CallStatus = "running" | "waiting" | "completed" | "failed" | "interrupted";

/** A call of `ctx.run`, as far as one attempt of a step has made it. */
export interface RunCall {
  /** Call id within the work item: `run=` and its key. */
  readonly call: string;
  readonly label?: string;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly startedTick: number;
  readonly endedAtMs: number | null;
  readonly endedTick: number | null;
  readonly status: CallStatus;
  /** Number of its last attempt, over all attempts of the step. */
  readonly attempts: number;
  /** Error of the last failed attempt. The code is `STEP_FAILED` for an error that is not a `WorkflowError`. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A time in which an attempt waited and held no worker of its step. */
export interface AttemptWait {
  /** `retry`: one of its calls of `ctx.run` had failed, and waited for its next attempt. */
  readonly kind: "event" | "sleep" | "child" | "retry";
  readonly fromMs: number;
  readonly fromTick: number;
  /** Epoch milliseconds; `null` while it still waits. */
  readonly toMs: number | null;
  readonly toTick: number | null;
  /** Id of the prompt that it waits for, if any. */
  readonly promptId?: string;
  /** Who answered the prompt. Absent if not answered, or not known. */
  readonly by?: DoneBy;
  /** When the wait times out, in epoch milliseconds, if it does. */
  readonly untilMs?: number;
  /** Id of the child run that it waits for, if any. */
  readonly runId?: string;
}

/** A run after one of its ticks. */
export interface RunMoment {
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly status: RunStatus;
  /** `true` if it has not ended, and continues only with time or an event from outside. */
  readonly isWaiting: boolean;
  readonly state: unknown;
  /** Every step of the run in the order of its workflow, then those of its children. */
  readonly steps: readonly StepMoment[];
  /** Open prompts of the run and its children. */
  readonly prompts: readonly PendingPrompt[];
  /** Events that a fork from here delivers first. `event` of `fork` replaces fields of one of these events. */
  readonly next: readonly PendingDelivery[];
  /** Input of the requested work item; `null` if none was requested, or if it is not at work at this tick. */
  readonly input: ItemInput | null;
}

export interface MomentOptions extends TenantOptions {
  /**
   * Id of a child, at any depth, whose state and steps to return instead of those of the run. The child must have started by then.
   */
  readonly childId?: string;
  /** Id of a work item whose input to return as `input`. @default none */
  readonly item?: number;
}

/** Input that a work item was started with. */
export interface ItemInput {
  readonly step: string;
  /** One event, or those of a batch or a set. A batch that settles leaves out its failures. */
  readonly events: readonly WorkflowEvent[];
  /** Names of the slots of a set, in the order of `events`; `null` for one event and for a batch. */
  readonly slots: readonly string[] | null;
}

/** Number of work items of a step by status. */
export interface StepMoment {
  /** Id of this run, or of a child. */
  readonly runId: string;
  readonly step: string;
  /** Waiting for a free worker. After the end of the run: the work that begins again when it is resumed or retried. */
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  /** Failed, and waiting for the time of the next attempt. */
  readonly retrying: number;
  /** Completed, since the oldest tick that is kept. */
  readonly done: number;
  readonly failed: number;
  /** Failures after all retries that an error handler or a settling batch handled, since the oldest stored tick. */
  readonly caught: number;
}

/** A run that a step of another run has started with `ctx.runChild`. */
export interface ChildRun {
  readonly runId: string;
  /** Id of the run whose step started it: the requested run, or a child. */
  readonly parentId: string;
  readonly workflow: string;
  readonly step: string;
  readonly item: number;
  readonly status: RunStatus;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
}

/** One tick as it is stored. */
export interface RawHistoryEntry extends Omit<HistoryEntry, "tick"> {
  /** The tick as plain JSON. */
  readonly tick: { readonly type: string; readonly atMs: number; readonly [field: string]: unknown };
}

/** A snapshot as it is stored. */
export interface RawSnapshot {
  /** Number of the last tick that it includes. */
  readonly tick: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Argument for `Context.fromDict`, if it can be read. */
  readonly dict: { readonly [field: string]: unknown };
}

// ---- actions of people and programs on runs, over all runs of a tenant

export type AuditAction = AuditActionRecord;

/** One thing that was done to a run, a queue or a schedule. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** `send`: the run may have refused the event. Each of the others was done. */
  readonly action: AuditAction;
  /**
   * Id of the run; for a fork, of the new run. The run may have been deleted since. `""` for a queue, and for a schedule of
   * which no run was started.
   */
  readonly runId: string;
  /** `""` for a queue. */
  readonly workflow: string;
  readonly by: DoneBy;
  /** Id of the answered prompt. */
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
  /** Cursor of the next page; `null` on the last one. */
  readonly cursor: string | null;
}

/**
 * Who did what: every start, fork, answer, sent event, cancellation, resumption, retry and deletion, and every change of a
 * queue or a schedule, that came with the option `by`.
 *
 * An entry is stored together with its action, and stays when its run is deleted. Actions of a program through the door
 * `"api"` without a user have no entry. Over Restate there are no entries.
 */
export interface RuntimeAudit {
  /** @throws {WorkflowError} `OPTION_INVALID` */
  list(filter?: AuditFilter): Promise<AuditPage>;
  /** Deletes old entries of one tenant. Returns how many. @throws {WorkflowError} `OPTION_INVALID` */
  delete(options: TenantOptions & { readonly olderThan: Duration }): Promise<number>;
}

/** Whether the present code can continue the runs that have not ended. */
export interface CheckReport {
  /** Number of runs that were checked. */
  readonly runs: number;
  readonly problems: readonly CheckProblem[];
}

export interface CheckProblem extends RunKey {
  readonly workflow: string;
  readonly code: string;
  readonly message: string;
}

/** Version of the format. A reader accepts its own version and every older one. */
export const EXPORT_FORMAT = 1;

export type ExportedPart =
  | ExportedHead
  /** Code that ticks and snapshots refer to by this name. */
  | { readonly type: "code"; readonly name: string; readonly text: string }
  | ExportedTicks
  | { readonly type: "snapshot"; readonly tick: number; readonly atMs: number; readonly snapshot: unknown }
  | { readonly type: "event"; readonly sequence: number; readonly atMs: number; readonly shown: unknown }
  | ExportedPost
  | { readonly type: "received"; readonly key: string; readonly receipt: unknown }
  | { readonly type: "record"; readonly kind: string; readonly id: string; readonly value: unknown }
  /** Number of parts, this one included. */
  | { readonly type: "end"; readonly parts: number };

/** Columns of a row that move as they are. */
type MovedColumn =
  | ("workflow" | "labels" | "forkedFrom" | "queue" | "ticks")
  | ("createdAtMs" | "startAtMs" | "updatedAtMs");

export interface ExportedHead extends RunKey, Pick<StoredRun, MovedColumn> {
  readonly type: "run";
  readonly format: number;
  /** Id of this move, unique. A second import of it changes nothing. */
  readonly move: string;
  /** `null` if it follows from the ticks; a run that has not ended is due at once. */
  readonly status: StoredStatus | null;
  readonly input: unknown;
  /** Name of the code that the run was created with. Empty: the code of the importing runtime. */
  readonly code: string;
  /** Version of the program that has continued the run last. @default null: not known */
  readonly version?: string | null | undefined;
  /** The open prompts, if the run waits. */
  readonly waiting: unknown;
}

/** A message without a receipt. */
export interface ExportedPost {
  readonly type: "post";
  /** Position of the message. The tick that takes the message names it. */
  readonly position: number;
  readonly key: string | null;
  readonly atMs: number;
  readonly message: unknown;
}

/** Ticks with the numbers `first` to `last`. */
export interface ExportedTicks {
  readonly type: "ticks";
  readonly first: number;
  readonly last: number;
  readonly atMs: number;
  readonly entries: readonly unknown[];
}

export interface ExportOptions extends TenantOptions {
  /** Records that move with the run, besides those that its start event names. @default none */
  readonly records?: readonly Pick<RecordKey, "kind" | "id">[];
}

export interface ImportOptions extends TenantOptions {
  /**
   * Reaction to another record with the same key in the store: `"refuse"` fails with `RECORD_CONFLICT`, `"keep"` keeps the
   * existing record.
   *
   * @default "refuse"
   */
  readonly records?: "refuse" | "keep";
}

export interface ImportedRun extends RunKey {
  /** `false` if this export was imported before. */
  readonly isNew: boolean;
}
