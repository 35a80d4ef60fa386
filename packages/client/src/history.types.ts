/** The past of a run: its ticks, attempts, moments and children, and forks from there. */
import type { ChangedValue, StepMoment } from "millrace/runtime";
import type { CallOptions, KeyedOptions } from "./call.types.js";
import type { SomeEvent } from "./inferred.types.js";
import type { ListedStatus } from "./run-list.types.js";
import type { PendingPrompt } from "./run.types.js";

export interface HistoryOptions extends CallOptions {
  /** Only ticks after this number; 0 leaves out how a fork began. @default all that the server keeps */
  readonly after?: number;
  /** Only ticks before this number. @default all */
  readonly before?: number;
  /** Only ticks of these types, such as `step.failed`. @default all */
  readonly types?: readonly string[];
  /** Says of each tick what it changed in the state. @default false */
  readonly changes?: boolean;
  /** Continues with later entries, and ends with the run. It survives lost connections. @default false */
  readonly follow?: boolean;
  /** Ticks per request: 1 to 1,000. Not with `follow`. @default 100 */
  readonly pageSize?: number;
}

export interface AttemptsOptions extends CallOptions {
  /** Only those that were started after the tick of this number. @default 0: all */
  readonly after?: number;
  /** Attempts per request: 1 to 1,000. @default 1000 */
  readonly pageSize?: number;
}

/** A run after one of its ticks. */
export interface RunMoment {
  readonly number: number;
  readonly atMs: number;
  readonly status: ListedStatus;
  readonly isWaiting: boolean;
  readonly state: unknown;
  /** Of the run itself, then of its children. */
  readonly steps: readonly StepMoment[];
  readonly prompts: readonly PendingPrompt[];
  /** What a fork from here delivers first: its `event` replaces fields of one of them. */
  readonly next: readonly PendingDelivery[];
  /** Top-level fields of the state that a fork may not set. */
  readonly closed: readonly string[];
  /** Input of the requested work item; `null` if none was requested, or if it is not at work at this tick. */
  readonly input: ItemInput | null;
}

export interface MomentOptions extends CallOptions {
  /** Id of a child, at any depth, that had started by then. @default the run itself */
  readonly childId?: string;
  /** Id of a work item whose input to return as `input`. @default none */
  readonly item?: number;
}

/** What a work item was started with. */
export interface ItemInput {
  readonly step: string;
  /** One event, or those of a batch or a set. A batch that settles leaves out its failures. */
  readonly events: readonly SomeEvent[];
  /** Names of the slots of a set, in the order of `events`; `null` for one event and for a batch. */
  readonly slots: readonly string[] | null;
}

/** A work item that a fork delivers its event to. */
export interface PendingDelivery {
  readonly item: number;
  readonly step: string;
  readonly event: SomeEvent;
  /** Whether the option `event` of a fork may replace its fields. */
  readonly isEditable: boolean;
  /** Why it may not. */
  readonly reason: string | null;
}

/** A run that a step of another one has started. */
export interface ChildRun {
  readonly runId: string;
  readonly parentId: string;
  readonly workflow: string;
  readonly step: string;
  readonly item: number;
  readonly status: ListedStatus;
  readonly startedAtMs: number;
}

/** A tick, as the engine records it. */
export interface HistoryTick {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** A tick of a run. */
export interface HistoryEntry {
  /** Number of the tick, for `fork`. Starts with 1; the history of a fork starts with 0, `run.forked`. */
  readonly number: number;
  /** Time of the tick, in epoch milliseconds. */
  readonly atMs: number;
  /** Run to which the tick belongs: this run, or a child. */
  readonly runId: string;
  /** Step whose work item the tick is about; `null` for none. */
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  /** With the option `changes`: what it changed in the state of its run. */
  readonly changes?: readonly ChangedValue[];
  readonly tick: HistoryTick;
}

export interface ForkOptions extends KeyedOptions {
  /** Number of the tick after which the new run begins. */
  readonly at: number;
  /** Id of the new run. @default derived from the `key`, or a random UUID */
  readonly handlerId?: string;
  /** Replaces these fields of the initial state. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** Replaces these fields of the event that is delivered next. The server decides which events callers may edit. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** Work item whose event that is, where there are several: `client.at(handlerId, tick)` lists them as `next`. */
  readonly item?: number;
  /** What the function of a call of `ctx.run` gets as `call.override`: of a model call, parts of its request. */
  readonly override?: {
    readonly item: number;
    /** Its id, as `client.attempts` lists it. It may not have ended at that tick. */
    readonly call: string;
    readonly value: Readonly<Record<string, unknown>>;
  };
}
