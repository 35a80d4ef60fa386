/**
 * What `createOperator` returns.
 *
 * @module
 */
import type {
  BudgetReport,
  DaySpending,
  QueueLimitsShown,
  QueuePosition,
  QueueState,
  WorkerState,
} from "millrace/runtime";
import type { CallOptions, KeyedOptions } from "../call.types.js";
import type { Schedule } from "../schedules.types.js";

/** What is edited of a schedule: a part that is left out stays. */
export interface ScheduleEdit extends CallOptions {
  readonly cron?: string;
  readonly timezone?: string;
  /** Fields of the start event. */
  readonly input?: object;
}

export interface DayOptions extends CallOptions {
  /** Its date, such as `"2026-11-29"`. @default today, in the time zone of the budgets */
  readonly day?: string;
}

/** The two files of a test of a run. Paths are relative to the folder of the project. */
export interface RunTest {
  /** What the calls, models and people of the run answered. */
  readonly recording: { readonly path: string; readonly text: string };
  /** A test for Vitest, which reads it. */
  readonly test: { readonly path: string; readonly text: string };
}

export interface RunTestOptions extends CallOptions {
  /** Names of fields whose texts are replaced, also where else they occur. @default none */
  readonly redact?: readonly string[];
}

/** The queues, the budgets, the workers and the schedules of a server, for those who look after them. */
export interface Operator {
  readonly queues: {
    list(options?: CallOptions): Promise<readonly QueueState[]>;
    /** `null`: no living process names the queue. */
    get(name: string, options?: CallOptions): Promise<QueueState | null>;
    /** No run gets a place until `resume`. Runs that have one keep it. */
    pause(name: string, options?: CallOptions): Promise<QueueState>;
    resume(name: string, options?: CallOptions): Promise<QueueState>;
    /** Changes limits for all processes. One that is left out stays; `null` takes it away. */
    limit(name: string, limits: Partial<QueueLimitsShown>, options?: CallOptions): Promise<QueueState>;
    /** The limits in the options of processes hold again. A pause stays. */
    reset(name: string, options?: CallOptions): Promise<QueueState>;
    /** `null` for a run that is not in the line of a queue. */
    position(handlerId: string, options?: CallOptions): Promise<QueuePosition | null>;
  };
  readonly budgets: {
    /** What a run with its children has spent of its budget. All 0 for a run without a call that costs something. */
    run(handlerId: string, options?: CallOptions): Promise<BudgetReport>;
    /** What each tenant has spent in a day, those with the most dollars first. */
    tenants(options?: DayOptions): Promise<DaySpending>;
  };
  /**
   * Makes a test of a run that has ended, where `config()` says `tests: true`.
   *
   * @throws {ClientError} `OPTION_INVALID` for a run that has not ended, is a fork, or whose first ticks are no longer kept;
   * `SOURCE_UNKNOWN` where the server does not know the code of its workflow.
   */
  runTest(handlerId: string, options?: RunTestOptions): Promise<RunTest>;
  readonly workers: { list(options?: CallOptions): Promise<readonly WorkerState[]> };
  readonly schedules: {
    /** Changes when it occurs, or with what input, until code sets it otherwise. */
    edit(name: string, edit: ScheduleEdit): Promise<Schedule>;
    /** Takes all edits back. */
    reset(name: string, options?: CallOptions): Promise<Schedule>;
    /** Starts a run now, and returns its handler id. A second start with the same `key` starts no other run. */
    start(name: string, options?: KeyedOptions): Promise<string>;
  };
}
