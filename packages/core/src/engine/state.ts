/**
 * What is true of one run. Owned by that run and changed in place by `reduce`, by nothing else.
 *
 * A work item is one delivery of one event (or batch, or set) to one step:
 *
 *     ready ──► running ──► (gone: completed)          delayed: a retry waits for its time
 *       ▲        │  ▲ │                                suspended: a call of it is open, no worker slot held
 *       │        │  │ └──► suspended ──► resuming      resuming: answered, waits for a slot ahead of `ready`
 *       └─delayed◄──┘─┴──────────────────────┘         failed: for good; kept for `retry`
 *
 * @module
 */
import type { ErrorRecord } from "../errors/error-record.js";
import type { Fifo } from "./fifo.js";
import type { Timers } from "./timers.js";

/** An event as the engine sees it: an instance of its class, of which only `type` and fields named in `where` and `by` are read. */
export interface EventData {
  readonly type: string;
}

export interface RunState {
  readonly runId: string;
  readonly workflow: string;
  status: RunStatus;
  outcome: Outcome | null;
  /** Ticks reduced so far. */
  ticks: number;
  /** Time of the latest tick. Never goes back. */
  atMs: number;
  startedAtMs: number;
  timeoutMs: number | null;
  deadlineMs: number | null;
  /** Time with work ready or running, up to `activeSinceMs`. */
  activeMs: number;
  activeSinceMs: number | null;
  /** Items that are ready, running or resuming. */
  active: number;
  /** Next id for items, scopes, prompts and timers. */
  nextId: number;
  /** Sequence number of the next streamed event. */
  streamed: number;
  /** The user's state: immutable. */
  store: unknown;
  readonly items: Map<number, WorkItem>;
  /** By step. Null while nothing runs or queues. */
  loads: Map<string, StepLoad> | null;
  /** Open fan-outs. Null until the first. So are the five below: a run pays for what it uses. */
  scopes: Map<number, Scope> | null;
  /** Joins outside fan-outs, and those that pair `by` a field. */
  joins: Map<string, JoinBuffer> | null;
  /** What `collectEvents` has so far, by step and buffer. */
  sets: Map<string, EventData[]> | null;
  inbox: Parcel[] | null;
  /** Open waits by event type, oldest first. */
  waits: Map<string, WaitRecord[]> | null;
  /** Open prompts by their id: those of waits, and those that a step emitted. */
  prompts: Map<string, OpenPrompt> | null;
  timers: Timers<Timer> | null;
  runTimer: Timer | null;
  /** What a run that is stuck says of itself. Null while there is nothing: a run pays for what it uses. */
  vain: Vain | null;
}

export type Leftover =
  /** A join of a fan-out that closed. */
  | {
      readonly kind: "join";
      readonly step: string;
      readonly arrived: readonly string[];
      readonly missing: readonly string[];
    }
  /** An event at a collect step, outside of the fan-outs that it gathers. */
  | { readonly kind: "collect"; readonly step: string; readonly arrived: string }
  /** Nothing, where a step could have opened a fan-out. */
  | { readonly kind: "fanOut"; readonly step: string }
  /** A step that emits something has returned and sent nothing. */
  | { readonly kind: "nothing"; readonly step: string };

export interface Vain {
  /** Collect steps that no fan-out has led to yet. */
  readonly unfired: Set<string>;
  /** What came to nothing, by step. */
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
      /** Epoch milliseconds, where it was a deadline that passed. */
      readonly deadlineMs?: number;
    };

export interface Failure {
  /** Null when the run itself failed. */
  readonly stepName: string | null;
  readonly error: ErrorRecord;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly failedAtMs: number;
  /** What the failed attempt got: one event, or all of its batch or set. */
  readonly input: readonly EventData[];
  /** A batch, or a set with these slots. Left out: one event, or none. */
  readonly shape?: "batch" | readonly string[];
}

export interface WorkItem {
  readonly id: number;
  readonly step: string;
  readonly input: StepInput;
  /** The innermost fan-out it is in, and the element of it. */
  readonly scope: Scope | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
  status: ItemStatus;
  /** Attempts started. */
  attempt: number;
  failures: number;
  /** -1 before the first attempt. */
  firstStartedAtMs: number;
  lastError: ErrorRecord | null;
  lastFailedAtMs: number;
  /** What it did through `ctx`, by call id. */
  memory: Map<string, MemoryRecord> | null;
  /** Calls that its attempt awaits. */
  open: number;
  /** Calls to be told about once it has its slot again. */
  answered: string[] | null;
  /** The fan-out that its generator or its sends feed. */
  fan: Scope | null;
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

/** How often each error handler has already helped in this lineage of events. */
export type Recoveries = { readonly [handler: string]: number };

/** An event on its way. */
export interface Parcel {
  readonly event: EventData;
  readonly scope: Scope | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
  /** Only this step gets it. */
  readonly step: string | null;
}

/** What a point in time brings. */
export type Timer = { readonly dueAtMs: number; readonly order: number; position: number } & TimerPurpose;

export type TimerPurpose =
  | { readonly kind: "call"; readonly item: number; readonly call: string }
  | { readonly kind: "retry"; readonly item: number }
  | { readonly kind: "send"; readonly parcel: Parcel }
  | { readonly kind: "timeout" }
  | { readonly kind: "deadline" };

/** The workers of one step. */
export interface StepLoad {
  readonly workers: number;
  running: number;
  readonly resuming: Fifo<number>;
  readonly ready: Fifo<number>;
}

/**
 * One fan-out, opened by a step that emits `many(…)`: what it returned as an array, feeds as a generator, or sends.
 *
 *     open = its items + its open inner scopes + its delayed sends (+ 1 while its opener is at work)
 *
 * At 0 it closes: its collect steps fire in the scope around it, before it counts as finished there, in the same reduction.
 */
export interface Scope {
  readonly id: number;
  readonly opener: string;
  readonly parent: Scope | null;
  /** The element of the parent that it belongs to. */
  readonly parentIndex: number;
  /** Collect steps that fire once for it, also when it is empty. */
  readonly collects: readonly string[];
  open: number;
  /** Elements emitted so far. */
  size: number;
  readonly items: Set<number>;
  readonly inner: Set<Scope>;
  /** Open work by element: only where an opener at work or a settling step needs it. */
  readonly pending: Map<number, number> | null;
  /** The work item of the generator that feeds it, while it runs. */
  generator: number | null;
  /** The generator is not asked for more until elements are finished. */
  paused: boolean;
  closed: boolean;
  gathered: Map<string, Gathered> | null;
  failures: Map<number, Failure> | null;
  joins: Map<string, JoinBuffer> | null;
}

export type NewScope = Pick<Scope, "id" | "opener" | "parent" | "parentIndex" | "collects"> & {
  /** Whether open work is counted by element. */
  readonly counted: boolean;
};

/** A fan-out in which nothing is open yet. */
export function createScope({ id, opener, parent, parentIndex, collects, counted }: NewScope): Scope {
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

/** What has arrived at one collect step. */
export interface Gathered {
  readonly arrivals: Arrival[];
  fired: boolean;
}

export interface Arrival {
  /** The element of the fan-out whose batch it is in. */
  readonly index: number;
  /** From there inwards, its place in each fan-out inside that one. Null: it arose in that one itself. */
  readonly path: readonly number[] | null;
  readonly event: EventData;
  readonly recoveries: Recoveries | null;
}

export interface JoinBuffer {
  readonly step: string;
  /** By event type, in arrival order. */
  readonly arrivals: Map<string, Parcel[]>;
  size: number;
}

export type MemoryRecord =
  | WaitRecord
  | SleepRecord
  | ChildRecord
  | { readonly kind: "send"; readonly call: string }
  | { readonly kind: "edit"; readonly call: string; readonly value: unknown }
  | { readonly kind: "run"; readonly call: string; readonly value: unknown }
  | { readonly kind: "set"; readonly call: string; readonly events: readonly EventData[] | null }
  | { readonly kind: "yield"; readonly call: string; readonly digest: string };

/** A call that gives the worker slot back until it is answered. */
interface SlotlessCall {
  readonly call: string;
  /** The latest attempt that awaits it: the slot of another is no business of its answer. */
  awaitedIn: number;
}

export interface SleepRecord extends SlotlessCall {
  readonly kind: "sleep";
  readonly dueAtMs: number;
  status: "open" | "done";
  timer: Timer | null;
}

export interface WaitRecord extends SlotlessCall {
  readonly kind: "wait";
  /** Rises from one wait of the run to the next. */
  readonly order: number;
  readonly item: number;
  readonly accepts: readonly string[];
  readonly where: Readonly<Record<string, unknown>> | null;
  readonly promptId: string | null;
  readonly prompt: EventData | null;
  readonly dueAtMs: number | null;
  status: "open" | "resolved" | "timedOut";
  event: EventData | null;
  timer: Timer | null;
}

export interface OpenPrompt {
  readonly promptId: string;
  readonly event: EventData;
  /** Null when a step emitted it: then any step that takes an answer gets it. */
  readonly wait: WaitRecord | null;
}

export interface ChildRecord extends SlotlessCall {
  readonly kind: "child";
  readonly name: string;
  readonly runId: string;
  readonly start: EventData;
  /** It works on the state of this run. */
  readonly sharesStore: boolean;
  /** Null: that of its workflow. */
  readonly timeoutMs: number | null;
  status: "open" | "completed" | "failed";
  result: EventData | null;
  error: ErrorRecord | null;
}

export interface NewRun {
  readonly runId: string;
  readonly workflow: string;
  readonly store: unknown;
}

/** A run to which nothing has happened yet. */
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
    vain: null,
  };
}

/**
 * Makes the state of one run that of another as well: one value, whichever of the two changes it.
 *
 * Their ticks are in one journal, in the order in which they were applied, so a replay of both gives the same value.
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

/** What it does from here on changes the state of its owner no more. */
export function unshareStore(state: RunState): void {
  const { store } = state;
  Object.defineProperty(state, "store", { configurable: true, enumerable: true, writable: true, value: store });
}
