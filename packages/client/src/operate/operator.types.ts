/**
 * What `createOperator` returns.
 *
 * @module
 */
import type { CallOptions, KeyedOptions } from "../client.types.js";
import type { Schedule } from "../schedules.types.js";

/** `null` for no limit. */
export interface QueueLimits {
  readonly concurrency: number | null;
  readonly perKey: number | null;
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
}

export interface QueueLine {
  /** Runs that need a place and have none. */
  readonly waiting: number;
  /** Runs with a place. */
  readonly placed: number;
  /** Since when the run that waits the longest needs its place, in epoch milliseconds. */
  readonly oldestAtMs: number | null;
}

/** A queue of the store, over all tenants. */
export interface Queue extends QueueLine {
  readonly name: string;
  readonly paused: boolean;
  readonly limits: QueueLimits;
  /** As the options of processes say; `null`: no living process names the queue. */
  readonly configured: QueueLimits | null;
  /** When it was paused, resumed or limited, and by whom; `null`: all is as configured. */
  readonly changedAtMs: number | null;
  readonly changedBy: { readonly user?: string; readonly door: string } | null;
  /** Living processes that take its runs. */
  readonly workers: number;
  /** Runs that got a place in the last five minutes. */
  readonly taken: number;
  /** At most 100, the longest lines first. */
  readonly keys: readonly (QueueLine & { readonly key: string })[];
}

export interface QueuePosition {
  readonly queue: string;
  /** 1 is next. */
  readonly position: number;
  readonly waiting: number;
  readonly paused: boolean;
  /** Milliseconds, at the pace of the last five minutes; `null` where that says nothing. */
  readonly estimateMs: number | null;
}

/** A process that executes runs. */
export interface Worker {
  readonly id: string;
  readonly host: string;
  readonly pid: number | null;
  /** `MILLRACE_VERSION` of the process. */
  readonly version: string;
  readonly startedAtMs: number;
  /** Its last heartbeat. */
  readonly beatAtMs: number;
  /** `false`: its lease has run out since. */
  readonly isAlive: boolean;
  /** Runs in its memory at the last heartbeat, and those of them that are of a queue. */
  readonly runs: number;
  readonly places: number;
  readonly maxRuns: number | null;
  readonly workflows: readonly string[];
  readonly queues: Readonly<Record<string, QueueLimits>>;
}

/** What is edited of a schedule: a part that is left out stays. */
export interface ScheduleEdit extends CallOptions {
  readonly cron?: string;
  readonly timezone?: string;
  /** Fields of the start event. */
  readonly input?: object;
}

/** The queues, the workers and the schedules of a server, for those who look after them. */
export interface Operator {
  readonly queues: {
    list(options?: CallOptions): Promise<readonly Queue[]>;
    /** `null`: no living process names the queue. */
    get(name: string, options?: CallOptions): Promise<Queue | null>;
    /** No run gets a place until `resume`. Runs that have one keep it. */
    pause(name: string, options?: CallOptions): Promise<Queue>;
    resume(name: string, options?: CallOptions): Promise<Queue>;
    /** Changes limits for all processes. One that is left out stays; `null` takes it away. */
    limit(name: string, limits: Partial<QueueLimits>, options?: CallOptions): Promise<Queue>;
    /** The limits in the options of processes hold again. A pause stays. */
    reset(name: string, options?: CallOptions): Promise<Queue>;
    /** `null` for a run that is not in the line of a queue. */
    position(handlerId: string, options?: CallOptions): Promise<QueuePosition | null>;
  };
  readonly workers: { list(options?: CallOptions): Promise<readonly Worker[]> };
  readonly schedules: {
    /** Changes when it occurs, or with what input, until code sets it otherwise. */
    edit(name: string, edit: ScheduleEdit): Promise<Schedule>;
    /** Takes all edits back. */
    reset(name: string, options?: CallOptions): Promise<Schedule>;
    /** Starts a run now, and returns its handler id. A second start with the same `key` starts no other run. */
    start(name: string, options?: KeyedOptions): Promise<string>;
  };
}
