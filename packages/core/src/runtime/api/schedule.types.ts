/**
 * Types of `runtime.schedules`.
 *
 * @module
 */

import type { InputOf } from "../../authoring/handler.types.js";
import type { DoneBy } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { ScheduleStartRecord } from "../../wire/server.types.js";
import type { QueueTicket } from "../store/run-store.types.js";
import type { CallerOptions, TenantOptions, Workflows } from "./run-filter.types.js";
import type { RecordListQuery } from "./runtime-records.types.js";

/**
 * Handling of an occurrence while the run of the previous one has not ended: it is left out (`"skip"`), it waits for that end
 * (`"queue"`), or it starts anyway (`"allow"`).
 */
export type ScheduleOverlap = "skip" | "queue" | "allow";

/** Missed occurrences that start after a time in which no process ran: the last one, all of them, or none. */
export type ScheduleCatchUp = "last" | "all" | "none";

/** Options of a call that changes a schedule. */
export interface ScheduleChangeOptions extends TenantOptions, CallerOptions {}

export interface ScheduleOptions<Name extends string = string> extends ScheduleChangeOptions {
  /**
   * Minute, hour, day of the month, month, day of the week; with six fields, seconds come first. Also `@daily` and the like, `L`,
   * `W` and `#`.
   */
  readonly cron: string;
  /** IANA name of a time zone, such as `"Europe/Berlin"`. @default "UTC" */
  readonly timezone?: string;
  readonly workflow: Name;
  /** Fields of the start event, or the event itself, the same for every run. @default none */
  readonly input?: unknown;
  /**
   * Handling of an occurrence while the previous run has not ended. With `"queue"`, one occurrence waits at most, and a later
   * one replaces it; with `catchUp: "all"` too, up to 1,000 wait.
   *
   * @default "skip"
   */
  readonly overlap?: ScheduleOverlap;
  /** `"all"`: at most the last 1,000. `"none"`: an occurrence that is a minute late counts as missed. @default "last" */
  readonly catchUp?: ScheduleCatchUp;
  /** Labels of every run, in addition to `schedule`, the name of the schedule. @default none */
  readonly labels?: { readonly [name: string]: string };
  /** Limit of the active time of every run. @default the limit of the workflow */
  readonly timeout?: Duration;
  /**
   * Name of a queue in `createRuntime({ queues })` in which each run waits for a place. For `overlap`, a waiting run has not ended.
   * @default none
   */
  readonly queue?: string;
  /** `queueKey` of every run. @default "" */
  readonly queueKey?: string;
  /** `priority` of every run; for queues with `priority: true`. @default 0 */
  readonly priority?: number;
}

/** An occurrence that was left out. */
export interface ScheduleSkip {
  /** Time of the occurrence, in epoch milliseconds. With `"missed"`: the first of those that were missed in a row. */
  readonly atMs: number;
  /** `"overlap"`: the previous run had not ended. `"missed"`: no process was there in time. */
  readonly reason: "overlap" | "missed";
}

/** Edited parts of a schedule. An absent part stays as it is. */
export interface ScheduleEdit {
  readonly cron?: string;
  /** IANA name of a time zone. */
  readonly timezone?: string;
  /** Fields of the start event, or the event itself. */
  readonly input?: unknown;
}

/** Parts of a schedule that were edited, and what the last `set` said of them. */
export interface ScheduleEdited {
  readonly cron?: string;
  readonly timezone?: string;
  readonly start?: ScheduleStart;
  readonly atMs: number;
  readonly by: DoneBy | null;
}

/** The start event of every run: its type, and its fields as JSON; `meta` describes values that JSON cannot hold. */
export interface ScheduleStart extends ScheduleStartRecord {}

/** A schedule and its present state. */
export interface Schedule {
  readonly name: string;
  readonly tenant: string;
  readonly cron: string;
  readonly timezone: string;
  readonly workflow: string;
  readonly start: ScheduleStart;
  /** Edits since `set`; `null` for none. */
  readonly edited: ScheduleEdited | null;
  readonly overlap: ScheduleOverlap;
  readonly catchUp: ScheduleCatchUp;
  /** The queue in which its runs wait for a place; `null` for none. */
  readonly queue: QueueTicket | null;
  readonly paused: boolean;
  /** Time of the next occurrence, in epoch milliseconds; `null` while the schedule is paused, or when it never occurs again. */
  readonly nextAtMs: number | null;
  /** The last run that was started, by an occurrence or by `start`, and when. */
  readonly last: { readonly atMs: number; readonly runId: string } | null;
  /** Times of the occurrences that wait for the previous run to end, in epoch milliseconds. */
  readonly queuedAtMs: readonly number[];
  /** The last ten occurrences that were left out, the latest at the end. */
  readonly skips: readonly ScheduleSkip[];
}

/** Names are the ids of schedules. */
export interface ScheduleQuery extends Omit<RecordListQuery, "kind"> {}

export interface ScheduleList {
  readonly schedules: readonly Schedule[];
  /** Cursor of the next page; `null` on the last one. */
  readonly cursor: string | null;
}

/**
 * Runs that begin by the calendar. Each occurrence is a run with the id `<name>@<time in UTC>`, so it begins once, whichever
 * process starts it.
 */
export interface RuntimeSchedules<Flows extends Workflows = Workflows> {
  /**
   * Creates a schedule, or replaces the one with that name. The next occurrence counts from now; a schedule with the same `cron`
   * and `timezone` keeps its next occurrence, so every process may set its schedules when it starts. A paused schedule stays
   * paused. What was edited stays edited until `set` says of it something else than before the edit.
   *
   * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_UNKNOWN`, `EVENT_INVALID`, `START_AMBIGUOUS`,
   * `VALUE_UNSERIALIZABLE`.
   */
  set<Name extends keyof Flows & string>(
    name: string,
    ...args: {} extends InputOf<Flows[Name]>
      ? [options: ScheduleOptions<Name> & { readonly input?: InputOf<Flows[Name]> }]
      : [options: ScheduleOptions<Name> & { readonly input: InputOf<Flows[Name]> }]
  ): Promise<Schedule>;
  get(name: string, options?: TenantOptions): Promise<Schedule | null>;
  /** Lists schedules by name, in the order of code points, in pages. */
  list(query?: ScheduleQuery): Promise<ScheduleList>;
  /** Stops the schedule until `resume`; present runs continue. @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  pause(name: string, options?: ScheduleChangeOptions): Promise<Schedule>;
  /**
   * Starts the schedule again. The next occurrence counts from now: those of the pause are not caught up.
   *
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`
   */
  resume(name: string, options?: ScheduleChangeOptions): Promise<Schedule>;
  /**
   * Changes when it occurs, or with what input, over what `set` has said. With another `cron` or `timezone`, the next occurrence counts
   * from now.
   *
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `OPTION_INVALID`, `WORKFLOW_UNKNOWN`, `EVENT_INVALID`, `VALUE_UNSERIALIZABLE`.
   */
  edit(name: string, edit: ScheduleEdit, options?: ScheduleChangeOptions): Promise<Schedule>;
  /** Takes all edits back: the schedule is as the last `set` said. @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  reset(name: string, options?: ScheduleChangeOptions): Promise<Schedule>;
  /**
   * Starts a run of the schedule now, whatever `overlap` says, also while it is paused. Its occurrences stay as they are; one that comes
   * while the run is under way overlaps with it. Returns the id of the run.
   *
   * @param options.key A second start with this key starts no other run. @default each call starts one
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `OPTION_INVALID`, and what keeps the input from being read by this code.
   */
  start(name: string, options?: ScheduleChangeOptions & { readonly key?: string }): Promise<string>;
  /** Deletes the schedule; its runs stay. @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  delete(name: string, options?: ScheduleChangeOptions): Promise<void>;
  /**
   * The times of the next occurrences, also of a paused schedule.
   *
   * @param count From 1 to 1,000.
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `OPTION_INVALID`
   */
  next(name: string, count?: number, options?: TenantOptions): Promise<Date[]>;
}
