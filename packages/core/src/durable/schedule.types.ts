/**
 * What `runtime.schedules` takes and gives.
 *
 * @module
 */
import type { Duration } from "../value/duration.js";
import type { InputOf } from "../workflow/run.types.js";
import type { QueueTicket } from "./run-store.types.js";
import type { TenantOptions, Workflows } from "./runtime-names.types.js";

/**
 * When the run of the occurrence before has not ended: the occurrence is left out, it waits for that end, or it starts all the same.
 */
export type ScheduleOverlap = "skip" | "queue" | "allow";

/** Which of the occurrences start that came while no process ran: the last one, all of them, or none. */
export type ScheduleCatchUp = "last" | "all" | "none";

export interface ScheduleOptions<Name extends string = string> extends TenantOptions {
  /**
   * Minute, hour, day of the month, month, day of the week; with six fields the first one is the second. Also `@daily` and the like,
   * `L`, `W` and `#`.
   */
  readonly cron: string;
  /** IANA name, such as `"Europe/Berlin"`. @default "UTC" */
  readonly timezone?: string;
  readonly workflow: Name;
  /** Its fields or its start event, the same for every run. */
  readonly input?: unknown;
  /** With `"queue"` one occurrence waits at most, and a later one takes its place; with `catchUp: "all"` up to 1,000 wait. @default "skip" */
  readonly overlap?: ScheduleOverlap;
  /** `"all"`: at most the last 1,000. `"none"`: an occurrence that is a minute late is missed. @default "last" */
  readonly catchUp?: ScheduleCatchUp;
  /** Of every run, beside `schedule`: the name of the schedule. */
  readonly labels?: { readonly [name: string]: string };
  /** Of every run. */
  readonly timeout?: Duration;
  /** Each run waits for a place of this queue of `createRuntime({ queues })`. Until it has ended, it counts for `overlap`. @default none */
  readonly queue?: string;
  /** Of every run. @default "" */
  readonly queueKey?: string;
  /** Of every run; for queues with `priority: true`. @default 0 */
  readonly priority?: number;
}

/** An occurrence that was left out. */
export interface ScheduleSkip {
  /** With `"missed"`: the first one of those that were missed in a row. */
  readonly atMs: number;
  /** The run before had not ended, or no process was there in time. */
  readonly reason: "overlap" | "missed";
}

/** A schedule, and where it stands. */
export interface Schedule {
  readonly name: string;
  readonly tenant: string;
  readonly cron: string;
  readonly timezone: string;
  readonly workflow: string;
  readonly overlap: ScheduleOverlap;
  readonly catchUp: ScheduleCatchUp;
  /** Where its runs wait for a place. Null: nowhere. */
  readonly queue: QueueTicket | null;
  readonly paused: boolean;
  /** The occurrence that comes next. Null: none while it is paused, or no more at all. */
  readonly nextAtMs: number | null;
  /** The last occurrence that has started a run, and that run. */
  readonly last: { readonly atMs: number; readonly runId: string } | null;
  /** Occurrences that wait for the run before them to end. */
  readonly queuedAtMs: readonly number[];
  /** The last ten that were left out, the latest at the end. */
  readonly skips: readonly ScheduleSkip[];
}

export interface ScheduleQuery extends TenantOptions {
  /** Names that begin with it. @default all */
  readonly prefix?: string;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

export interface ScheduleList {
  readonly schedules: readonly Schedule[];
  /** Null: this is the last page. */
  readonly cursor: string | null;
}

/** Runs that begin by the calendar. Each occurrence is a run with the id `<name>@<time in UTC>`, so it begins once, whoever starts it. */
export interface RuntimeSchedules<Flows extends Workflows = Workflows> {
  /**
   * Creates a schedule, or replaces the one of that name. The next occurrence counts from now; one with the same `cron` and `timezone`
   * goes on where it stood, so every process may set its schedules when it starts. A paused one stays paused.
   *
   * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_UNKNOWN`, `INPUT_INVALID`, `VALUE_UNSERIALIZABLE`.
   */
  set<Name extends keyof Flows & string>(
    name: string,
    ...args: {} extends InputOf<Flows[Name]>
      ? [options: ScheduleOptions<Name> & { readonly input?: InputOf<Flows[Name]> }]
      : [options: ScheduleOptions<Name> & { readonly input: InputOf<Flows[Name]> }]
  ): Promise<Schedule>;
  get(name: string, options?: TenantOptions): Promise<Schedule | null>;
  /** By name, in the order of code points, in pages. */
  list(query?: ScheduleQuery): Promise<ScheduleList>;
  /** Nothing occurs until `resume`. Runs that are under way go on. @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  pause(name: string, options?: TenantOptions): Promise<Schedule>;
  /** The next occurrence counts from now: what came meanwhile is not caught up. @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  resume(name: string, options?: TenantOptions): Promise<Schedule>;
  /** Its runs stay. @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  delete(name: string, options?: TenantOptions): Promise<void>;
  /**
   * The times of the next occurrences, also of a paused schedule.
   *
   * @param count 1 to 1,000.
   * @throws {WorkflowError} `SCHEDULE_UNKNOWN`, `OPTION_INVALID`
   */
  next(name: string, count?: number, options?: TenantOptions): Promise<Date[]>;
}
