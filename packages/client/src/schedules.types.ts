/**
 * Options and results of `client.schedules`.
 *
 * @module
 */
import type { CallOptions, QueueTicket, RunLabels } from "./call.types.js";
import type { ClientInput } from "./inferred.types.js";

/** Options of `schedules.set`; the input is required where the workflow needs one. */
export type ScheduleOptions<Known, Name extends keyof Known & string> = ScheduleSettings<Name> &
  ({} extends ClientInput<Known, Name>
    ? { readonly input?: ClientInput<Known, Name> }
    : { readonly input: ClientInput<Known, Name> });

interface ScheduleSettings<Name extends string> extends CallOptions {
  readonly workflow: Name;
  /** Minute, hour, day of the month, month, day of the week; or `@daily` and the like. */
  readonly cron: string;
  /** IANA name. @default "UTC" */
  readonly timezone?: string;
  /** What an occurrence does while the run before has not ended. @default "skip" */
  readonly overlap?: "skip" | "queue" | "allow";
  /** Which occurrences start that came while no process ran. @default "last" */
  readonly catchUp?: "last" | "all" | "none";
  /** Labels of every run, beside `schedule`: the name of the schedule. */
  readonly labels?: RunLabels;
  readonly queue?: string;
  readonly queueKey?: string;
  readonly priority?: number;
}

/** The start event of the runs of a schedule. `meta` describes values that JSON cannot hold. */
export interface ScheduleStart {
  readonly type: string;
  readonly value: unknown;
  readonly meta?: unknown;
}

/** A schedule and its state. */
export interface Schedule {
  readonly name: string;
  readonly workflow: string;
  readonly start: ScheduleStart;
  /** Parts that were edited, as they were before; `null` for none. */
  readonly edited: {
    readonly cron?: string;
    readonly timezone?: string;
    readonly start?: ScheduleStart;
    readonly atMs: number;
    readonly by: { readonly user?: string; readonly door: string } | null;
  } | null;
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catchUp: "last" | "all" | "none";
  readonly queue: QueueTicket | null;
  readonly paused: boolean;
  /** In epoch milliseconds; `null` while it is paused, or after its last occurrence. */
  readonly nextAtMs: number | null;
  /** The last run that was started, by an occurrence or by hand, and when. */
  readonly last: { readonly atMs: number; readonly handlerId: string } | null;
  /** Occurrences that wait for the run before them to end. */
  readonly queuedAtMs: readonly number[];
  /** The last ten that were left out, the latest at the end. */
  readonly skips: readonly { readonly atMs: number; readonly reason: "overlap" | "missed" }[];
}

export interface ScheduleFilter extends CallOptions {
  /** Only schedules whose names begin with it. */
  readonly prefix?: string;
  /** Maximum number of schedules: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

export interface SchedulePage {
  readonly schedules: readonly Schedule[];
  /** Cursor for the next page; `null` on the last one. */
  readonly cursor: string | null;
}

/** Each occurrence is a run with the handler id `<name>@<time in UTC>`. */
export interface ClientSchedules<Known> {
  /** Creates a schedule, or replaces the one of that name. A paused one stays paused. */
  set<Name extends keyof Known & string>(name: string, options: ScheduleOptions<Known, Name>): Promise<Schedule>;
  get(name: string, options?: CallOptions): Promise<Schedule | null>;
  /** Lists schedules by name, in pages. */
  list(filter?: ScheduleFilter): Promise<SchedulePage>;
  /** Nothing occurs until `resume`. Active runs continue. */
  pause(name: string, options?: CallOptions): Promise<Schedule>;
  /** The next occurrence counts from now. */
  resume(name: string, options?: CallOptions): Promise<Schedule>;
  /** A schedule that does not exist counts as deleted. Its runs stay. */
  delete(name: string, options?: CallOptions): Promise<void>;
  /** Times of the next occurrences: 1 to 1,000. */
  next(name: string, count?: number, options?: CallOptions): Promise<readonly Date[]>;
}
