/**
 * The state of one run. Owned by that run and changed in place by `reduce` only.
 *
 * A work item is one delivery of one event (or batch, or set) to one step:
 *
 *     ready ──► running ──► (removed: completed)       delayed: a retry waits for its time
 *       ▲        │  ▲ │                                suspended: a call of it is open, no worker slot held
 *       │        │  │ └──► suspended ──► resuming      resuming: answered, waits for a slot ahead of `ready`
 *       └─delayed◄──┘─┴──────────────────────┘         failed: after all retries; kept for `retry`
 *
 * @module
 */
import type { ErrorRecord } from "../value/error-record.js";
import type { Fifo, Timers } from "./collections.js";

/**
 * An event for the engine: an instance of its class, of which only `type` and the fields named in `where` and `by` are
 * read.
 */
export interface EventData {
  readonly type: string;
}

/** W3C trace context: the values of the headers of that name. @see https://www.w3.org/TR/trace-context/ */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface RunState {
  readonly runId: string;
  readonly workflow: string;
  status: RunStatus;
  outcome: Outcome | null;
  /** Number of ticks reduced so far. */
  ticks: number;
  /** Time of the latest tick, in epoch milliseconds. Never decreases. */
  atMs: number;
  startedAtMs: number;
  timeoutMs: number | null;
  deadlineMs: number | null;
  /** Active time up to `activeSinceMs`, in which work was ready or running. */
  activeMs: number;
  activeSinceMs: number | null;
  /** Number of items that are ready, running or resuming. */
  active: number;
  /** Next id for items, scopes, prompts and timers. */
  nextId: number;
  /** Sequence number of the next streamed event. */
  streamed: number;
  /** The user's state. Immutable. */
  store: unknown;
  readonly items: Map<number, WorkItem>;
  /** Slots of the steps that run or are queued; `null` without any after a wait or a restart. */
  loads: Map<string, StepLoad> | null;
  /**
   * Open fan-outs; `null` until the first. The five fields below are `null` likewise, so that a run only pays for what
   * it uses.
   */
  scopes: Map<number, FanOutState> | null;
  /** Joins outside of fan-outs, and those that pair by a field. */
  joins: Map<string, JoinBuffer> | null;
  /** Events of `collectEvents` so far, by step and buffer. */
  sets: Map<string, EventData[]> | null;
  inbox: PendingEvent[] | null;
  /** Open waits by event type, oldest first. */
  waits: Map<string, WaitRecord[]> | null;
  /** Open prompts by id: those of waits, and those that a step emitted. */
  prompts: Map<string, OpenPrompt> | null;
  timers: Timers<Timer> | null;
  runTimer: Timer | null;
  /** Events that led to nothing, for the error of a stuck run; `null` without any. */
  unused: Unused | null;
  /** The span of its start; `null` for a run with its own trace. */
  trace: TraceContext | null;
  /** Number of times that it continued after its end. */
  continuations: number;
  /** By how much its time is ahead of a clock that was set back, in this process. Not in snapshots. */
  leadMs: number;
}

export type Leftover =
  /** A join of a fan-out that closed. */
  | {
      readonly kind: "join";
      readonly step: string;
      readonly arrived: readonly string[];
      readonly missing: readonly string[];
    }
  /** An event at a collect step, outside of the fan-outs that the step gathers. */
  | { readonly kind: "collect"; readonly step: string; readonly arrived: string }
  /** A step that could have opened a fan-out opened none. */
  | { readonly kind: "fanOut"; readonly step: string }
  /** A step that emits events has returned none and sent none. */
  | { readonly kind: "nothing"; readonly step: string };

export interface Unused {
  /** Collect steps that no fan-out has led to yet. */
  readonly unfired: Set<string>;
  /** Events that led to nothing, by step. */
  readonly leftovers: Map<string, Leftover>;
}

export type RunStatus = "running" | "completed" | "failed" | "cancelled" | "timedOut";

export type Outcome =
  | { readonly status: "completed"; readonly event: EventData }
  | { readonly status: "failed"; readonly failure: Failure }
  | { readonly status: "cancelled"; readonly reason: unknown }
  | {
      readonly status: "timedOut";
      readonly timeoutMs: number;
      readonly activeSteps: readonly string[];
      /** The deadline that has passed, in epoch milliseconds; absent when another limit has. */
      readonly deadlineMs?: number;
    };

export interface Failure {
  /** `null` when the run itself failed. */
  readonly stepName: string | null;
  readonly error: ErrorRecord;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly failedAtMs: number;
  /** Input of the failed attempt: one event, or all of its batch or set. */
  readonly input: readonly EventData[];
  /** `"batch"`, or the slots of a set; absent for one event, or none. */
  readonly shape?: "batch" | readonly string[];
}

export interface WorkItem {
  readonly id: number;
  readonly step: string;
  readonly input: StepInput;
  /** The innermost fan-out around the item, and the item's element there. */
  readonly scope: FanOutState | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
  status: ItemStatus;
  /** Number of attempts started. */
  attempt: number;
  failures: number;
  /** Epoch milliseconds; -1 before the first attempt. */
  firstStartedAtMs: number;
  lastError: ErrorRecord | null;
  lastFailedAtMs: number;
  /** Calls through `ctx`, by call id. */
  calls: Map<string, CallRecord> | null;
  /** Number of open calls that its attempt awaits. */
  open: number;
  /** Answered calls, reported to the attempt once it has its slot again. */
  answered: string[] | null;
  /** The fan-out that its generator or its sends feed. */
  fanOut: FanOutState | null;
  retryTimer: Timer | null;
}

export type ItemStatus = "ready" | "delayed" | "running" | "suspended" | "resuming" | "failed";

export type StepInput =
  | { readonly kind: "event"; readonly event: EventData }
  | { readonly kind: "batch"; readonly members: readonly EventData[] }
  | { readonly kind: "settled"; readonly members: readonly SettledMember[] }
  | { readonly kind: "set"; readonly slots: { readonly [slot: string]: EventData } };

export type SettledMember =
  | { readonly status: "ok"; readonly index: number; readonly event: EventData }
  | { readonly status: "empty"; readonly index: number }
  | { readonly status: "failed"; readonly index: number; readonly failure: Failure };

/** Number of recoveries by each error handler in this lineage of events. */
export type Recoveries = { readonly [handler: string]: number };

/** An event on its way. */
export interface PendingEvent {
  readonly event: EventData;
  readonly scope: FanOutState | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
  /** The only step that gets it; `null` for any step. */
  readonly step: string | null;
}

/** Actions that are due at a point in time. */
export type Timer = { readonly dueAtMs: number; readonly order: number; position: number } & TimerPurpose;

export type TimerPurpose =
  | { readonly kind: "call"; readonly item: number; readonly call: string }
  | { readonly kind: "retry"; readonly item: number }
  | { readonly kind: "send"; readonly pendingEvent: PendingEvent }
  | { readonly kind: "timeout" }
  | { readonly kind: "deadline" };

/** The workers of one step. */
export interface StepLoad {
  readonly workers: number;
  running: number;
  /** Items that had a worker before; `null` before the first. */
  resuming: Fifo<number> | null;
  /** Items that wait for a worker; `null` before the first. */
  ready: Fifo<number> | null;
}

/**
 * A fan-out, opened by a step that emits `many(…)`: by the array it returns, by a generator, or by sends.
 *
 * open = its items + its open inner scopes + its delayed sends (+ 1 while its opener is at work)
 *
 * At 0 it closes: its collect steps fire in the scope around it, before it counts as finished there, in the same
 * reduction.
 */
export interface FanOutState {
  readonly id: number;
  readonly opener: string;
  readonly parent: FanOutState | null;
  /** The element of the parent to which it belongs. */
  readonly parentIndex: number;
  /** Collect steps that fire once for it, also when it is empty. */
  readonly collects: readonly string[];
  open: number;
  /** Number of elements emitted so far. */
  size: number;
  readonly items: Set<number>;
  readonly inner: Set<FanOutState>;
  /** Open work by element; only where an opener at work or a settling step needs it. */
  readonly pending: Map<number, number> | null;
  /** Work item of the generator that feeds it, while it runs. */
  generator: number | null;
  /** `true` while the generator is paused until elements are finished. */
  paused: boolean;
  closed: boolean;
  gathered: Map<string, Gathered> | null;
  failures: Map<number, Failure> | null;
  joins: Map<string, JoinBuffer> | null;
}

export type NewScope = Pick<FanOutState, "id" | "opener" | "parent" | "parentIndex" | "collects"> & {
  /** Whether open work is counted by element. */
  readonly counted: boolean;
};

/** Makes a fan-out without open work. */
export function createFanOutState({ id, opener, parent, parentIndex, collects, counted }: NewScope): FanOutState {
  return {
    id,
    opener,
    parent,
    parentIndex,
    collects,
    open: 0,
    size: 0,
    items: new Set(),
    inner: new Set(),
    pending: counted ? new Map() : null,
    generator: null,
    paused: false,
    closed: false,
    gathered: null,
    failures: null,
    joins: null,
  };
}

/** Events that have arrived at one collect step. */
export interface Gathered {
  readonly arrivals: Arrival[];
  fired: boolean;
}

export interface Arrival {
  /** Element of the fan-out whose batch contains it. */
  readonly index: number;
  /** Place in each fan-out inside of that one, from there inwards; `null` for an event of that fan-out itself. */
  readonly path: readonly number[] | null;
  readonly event: EventData;
  readonly recoveries: Recoveries | null;
}

export interface JoinBuffer {
  readonly step: string;
  /** Pending events by type, in order of arrival. */
  readonly arrivals: Map<string, PendingEvent[]>;
  size: number;
}

export type CallRecord =
  | WaitRecord
  | SleepRecord
  | ChildRecord
  | EffectRecord
  | { readonly kind: "send"; readonly call: string }
  | DoneRecord
  | { readonly kind: "set"; readonly call: string; readonly events: readonly EventData[] | null }
  | { readonly kind: "yield"; readonly call: string; readonly digest: string }
  | RaceRecord;

/** An edit, or a call of `ctx.run`. */
export interface DoneRecord {
  readonly kind: "edit" | "run";
  readonly call: string;
  readonly value: unknown;
  /** `true` if its function has written to the stream; it is not repeated. */
  readonly hasShown?: true;
}

/** A call that releases the worker slot until it is answered. */
interface SlotlessCall {
  readonly call: string;
  /** When it was opened, in epoch milliseconds. */
  readonly openedAtMs: number;
  /** The latest attempt that awaits it: the answer does not concern the slot of any other attempt. */
  awaitedIn: number;
  /** The race that it takes part in; absent for a call in no race. */
  readonly race?: string;
  /** Reason for which it was closed; absent for an open call, and for one that has lost its race. */
  reason?: ErrorRecord;
}

/** Calls of which the first answer closes the others. */
export interface RaceRecord {
  readonly kind: "race";
  readonly call: string;
  /** Open calls of the race. */
  open: readonly string[];
  /** `true` if one of its calls was answered, and calls that are opened later are closed at once. */
  decided: boolean;
}

export interface SleepRecord extends SlotlessCall {
  readonly kind: "sleep";
  readonly dueAtMs: number;
  status: "open" | "done" | "closed";
  timer: Timer | null;
}

export interface WaitRecord extends SlotlessCall {
  readonly kind: "wait";
  /** Grows from wait to wait of the run. */
  readonly order: number;
  readonly item: number;
  readonly accepts: readonly string[];
  readonly where: Readonly<Record<string, unknown>> | null;
  readonly promptId: string | null;
  readonly prompt: EventData | null;
  readonly dueAtMs: number | null;
  status: "open" | "resolved" | "timedOut" | "closed";
  event: EventData | null;
  timer: Timer | null;
}

export interface OpenPrompt {
  readonly promptId: string;
  readonly event: EventData;
  /** `null` when a step emitted it: then any step that accepts an answer gets it. */
  readonly wait: WaitRecord | null;
  /** The step that asks; `null` for a prompt that a step has sent with a delay. */
  readonly step: string | null;
  readonly askedAtMs: number;
}

export interface ChildRecord extends SlotlessCall {
  readonly kind: "child";
  readonly name: string;
  readonly runId: string;
  readonly start: EventData;
  /** `true` when it works on the state of this run. */
  readonly sharesStore: boolean;
  /** `null` for the limit of its workflow. */
  readonly timeoutMs: number | null;
  status: "open" | "completed" | "failed" | "closed";
  result: EventData | null;
  error: ErrorRecord | null;
}

/** A call of `ctx.run` that has begun and has no result. */
export interface EffectRecord extends SlotlessCall {
  readonly kind: "effect";
  /** When its current attempt began, or when it began to wait for the next one. */
  openedAtMs: number;
  /** Label that readers see instead of the key. */
  readonly label?: string;
  /** Plain JSON that a fork passes to the function, as `call.override`. */
  readonly override?: object;
  /** `open`: it waits for the time of its next attempt. `failed`: its policy allows no other one. */
  status: "working" | "open" | "failed" | "closed";
  /** Number of attempts begun, those included that a crash has interrupted. */
  attempts: number;
  /** Attempts that have failed since the step has failed last: those that its policy counts. */
  failures: number;
  /** When the first of those attempts began; -1 before it. */
  sinceMs: number;
  lastError: ErrorRecord | null;
  /** When the next attempt begins; `null` when none is waited for. */
  dueAtMs: number | null;
  timer: Timer | null;
}

/** A call that can wait without a worker slot. */
export type SlotlessRecord = WaitRecord | SleepRecord | ChildRecord | EffectRecord;

/** Kinds of waits of an attempt, in the words of readers. */
export const waitKinds = { wait: "event", sleep: "sleep", child: "child", effect: "retry" } as const;

export interface NewRun {
  readonly runId: string;
  readonly workflow: string;
  readonly store: unknown;
}

/** Makes the state of a run before its first tick. */
export function createRunState({ runId, workflow, store }: NewRun): RunState {
  return {
    runId,
    workflow,
    store,
    status: "running",
    outcome: null,
    ticks: 0,
    atMs: 0,
    startedAtMs: 0,
    timeoutMs: null,
    deadlineMs: null,
    activeMs: 0,
    activeSinceMs: null,
    active: 0,
    nextId: 1,
    streamed: 0,
    items: new Map(),
    loads: null,
    scopes: null,
    joins: null,
    sets: null,
    inbox: null,
    waits: null,
    prompts: null,
    timers: null,
    runTimer: null,
    unused: null,
    trace: null,
    continuations: 0,
    leadMs: 0,
  };
}

/**
 * Makes two runs share one state value, whichever of them changes it.
 *
 * Their ticks are in one journal, in the order in which they were applied, so that a replay of both makes the same
 * value.
 */
export function shareStore(state: RunState, owner: RunState): void {
  Object.defineProperty(state, "store", {
    configurable: true,
    enumerable: true,
    get: () => owner.store,
    set: (store: unknown) => {
      owner.store = store;
    },
  });
}

/** Ends the sharing: later changes no longer reach the state of the owner. */
export function unshareStore(state: RunState): void {
  const { store } = state;
  Object.defineProperty(state, "store", { configurable: true, enumerable: true, writable: true, value: store });
}
