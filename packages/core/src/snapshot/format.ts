/**
 * The snapshot of a run as plain JSON. Formats only grow: what a released version wrote stays readable.
 *
 * Version 1 is what callers get: a load starts the running work over, so the snapshot leaves it out. Version 2 also has the work
 * under way: a runtime stores it between ticks of a journal, and the ticks after it belong to the same attempts.
 *
 * Derived data is left out: open work of fan-outs, indexes of waits. The types are those of the run without it: a new field of an
 * item or a call does not compile until it is stored or left out by name.
 *
 * @module
 */

import type { GatheredInput } from "../engine/optional-modules.js";
import type {
  Arrival,
  CallRecord,
  ChildRecord,
  DoneRecord,
  EffectRecord,
  EventData,
  Failure,
  FanOutState,
  ItemStatus,
  JoinBuffer,
  Leftover,
  Outcome,
  PendingEvent,
  RunState,
  SleepRecord,
  StepLoad,
  Timer,
  TimerPurpose,
  TraceContext,
  WaitRecord,
  WorkItem,
} from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EncodedEvent } from "../event/event-codec.js";
import type { Shape } from "../value/shape.js";
import type { EncodedValue } from "../value/tree.js";

export const SNAPSHOT_FORMAT = "millrace/run";
export const SNAPSHOT_VERSION = 1;
/** Version of the form with work under way, which runtimes store. */
export const STORED_VERSION = 2;

/** Fields of a run that are JSON already. */
type Facts =
  | "workflow"
  | "runId"
  | "status"
  | "ticks"
  | "atMs"
  | "startedAtMs"
  | "timeoutMs"
  | "deadlineMs"
  | "activeMs"
  | "nextId"
  | "streamed";

export interface Snapshot
  extends Readonly<Pick<RunState, Facts>>,
    Partial<Readonly<Pick<RunState, "active" | "activeSinceMs">>> {
  readonly format: typeof SNAPSHOT_FORMAT;
  readonly version: typeof SNAPSHOT_VERSION | typeof STORED_VERSION;
  readonly outcome: EncodedOutcome | null;
  /** Absent for a child that shares the store of its parent. */
  readonly store?: EncodedValue;
  /** Version of the workflow's state; absent when it is 1. */
  readonly stateVersion?: number;
  readonly items?: readonly EncodedItem[];
  /** Slots and queues of steps. Version 2. */
  readonly loads?: readonly EncodedLoad[];
  readonly scopes?: readonly EncodedScope[];
  readonly joins?: readonly EncodedJoin[];
  readonly sets?: readonly (readonly [string, readonly EncodedEvent[]])[];
  readonly inbox?: readonly EncodedPendingEvent[];
  /** Open prompts that steps have emitted. */
  readonly prompts?: readonly EncodedPrompt[];
  readonly timers?: readonly EncodedTimer[];
  /** Collect steps without a batch, and events that led to nothing: for the error `RUN_STUCK`. */
  readonly unfired?: readonly string[];
  readonly leftovers?: readonly Leftover[];
  /** Absent for a run with its own trace. */
  readonly trace?: TraceContext;
  /** Absent when it is 0. */
  readonly continuations?: number;
  /** Snapshots of open children, by run id. */
  readonly children?: { readonly [runId: string]: Snapshot };
}

export type EncodedOutcome =
  | { readonly status: "completed"; readonly event: EncodedEvent }
  | { readonly status: "failed"; readonly failure: EncodedFailure }
  | { readonly status: "cancelled"; readonly reason: EncodedValue }
  | Extract<Outcome, { readonly status: "timedOut" }>;

export interface EncodedFailure extends Omit<Failure, "input"> {
  readonly input: readonly EncodedEvent[];
}

export interface EncodedItem
  extends Readonly<Omit<WorkItem, "input" | "scope" | "calls" | "fanOut" | "open" | "answered" | "retryTimer">> {
  readonly input: EncodedInput;
  readonly scope: number | null;
  /** The calls that its attempt awaits, and those whose answer it has not got. Version 2. */
  readonly open?: number;
  readonly answered?: readonly string[] | null;
  readonly calls?: readonly EncodedRecord[];
  /** Id of the fan-out that it feeds; `null` for one that was cancelled. */
  readonly fanOut?: number | null;
}

/** Status of an item whose work starts over. */
export function statusAtRest(status: ItemStatus): "ready" | "delayed" | "failed" {
  return status === "delayed" || status === "failed" ? status : "ready";
}

export type EncodedInput =
  | { readonly kind: "event"; readonly event: EncodedEvent }
  | { readonly kind: "batch"; readonly members: readonly EncodedEvent[] }
  | { readonly kind: "settled"; readonly members: readonly EncodedMember[] }
  | { readonly kind: "set"; readonly slots: readonly (readonly [string, EncodedEvent])[] };

export interface EncodedMember {
  readonly status: "ok" | "empty" | "failed";
  readonly index: number;
  readonly event?: EncodedEvent;
  readonly failure?: EncodedFailure;
}

export interface EncodedLoad extends Readonly<Omit<StepLoad, "resuming" | "ready">> {
  readonly step: string;
  readonly resuming: readonly number[];
  readonly ready: readonly number[];
}

export interface EncodedPendingEvent extends Omit<PendingEvent, "event" | "scope"> {
  readonly event: EncodedEvent;
  readonly scope: number | null;
}

export interface EncodedScope
  extends Readonly<Pick<FanOutState, "id" | "opener" | "parentIndex" | "collects" | "size">> {
  readonly parent: number | null;
  /** Whether open work is counted by element. */
  readonly counted: boolean;
  /** Version 2. */
  readonly paused?: boolean;
  readonly gathered?: readonly EncodedGathered[];
  readonly failures?: readonly (readonly [number, EncodedFailure])[];
  readonly joins?: readonly EncodedJoin[];
}

export interface EncodedGathered {
  readonly step: string;
  readonly fired: boolean;
  readonly arrivals: readonly EncodedArrival[];
}

export interface EncodedArrival extends Omit<Arrival, "event" | "path"> {
  /** Absent when it arose in that fan-out itself. */
  readonly path?: readonly number[];
  readonly event: EncodedEvent;
}

export interface EncodedJoin {
  readonly key: string;
  readonly step: string;
  readonly arrivals: readonly EncodedPendingEvent[];
}

export type EncodedRecord =
  | EncodedWait
  | (Readonly<Omit<SleepRecord | EffectRecord, "awaitedIn" | "timer">> & Awaited)
  | EncodedChild
  | Extract<CallRecord, { readonly kind: "send" | "yield" | "race" }>
  | (Omit<DoneRecord, "value"> & { readonly value: EncodedValue })
  | { readonly kind: "set"; readonly call: string; readonly events: readonly EncodedEvent[] | null };

interface Awaited {
  /** The current attempt awaits it, or has. Version 2. */
  readonly awaited?: true;
}

interface EncodedPrompt {
  readonly promptId: string;
  readonly event: EncodedEvent;
  readonly step?: string;
  readonly askedAtMs: number;
}

interface EncodedWait
  extends Readonly<Omit<WaitRecord, "awaitedIn" | "item" | "timer" | "where" | "prompt" | "event">>,
    Awaited {
  readonly where: EncodedValue | null;
  readonly prompt: EncodedEvent | null;
  readonly event: EncodedEvent | null;
}

/** Events of the child. */
interface EncodedChild
  extends Readonly<Omit<ChildRecord, "awaitedIn" | "start" | "sharesStore" | "timeoutMs" | "result">>,
    Awaited {
  readonly start: EncodedEvent;
  /** Its snapshot has no state: it uses that of the surrounding run. */
  readonly sharesStore?: true;
  readonly timeoutMs?: number;
  readonly result: EncodedEvent | null;
}

export type EncodedTimer = Pick<Timer, "dueAtMs" | "order"> &
  /** Kind `timeout`: version 2. */
  (
    | Exclude<TimerPurpose, { readonly kind: "send" }>
    | { readonly kind: "send"; readonly pendingEvent: EncodedPendingEvent }
  );

/** Encoders of the parts of a run, for parts that contain others. */
export interface PartEncoder {
  /** `false` if a load starts the running work over. */
  readonly isStored: boolean;
  event(event: EventData, path: string): EncodedEvent;
  events(events: readonly EventData[], path: string): EncodedEvent[];
  failure(failure: Failure): EncodedFailure;
  pendingEvent(pendingEvent: PendingEvent): EncodedPendingEvent;
}

/** Set as `features.snapshot` by `collect()`, `join()` and `many()`. */
export interface SnapshotFeature {
  /** Encodes an input with several events. */
  input(input: GatheredInput, step: string, encoder: PartEncoder): EncodedInput;
  scope(scope: FanOutState, encoder: PartEncoder): EncodedScope;
  joins(joins: ReadonlyMap<string, JoinBuffer>, encoder: PartEncoder): EncodedJoin[];
}

// ---- errors of snapshots and ticks, and the check of their shape

/** @throws {WorkflowError} `SNAPSHOT_INVALID` naming every problem. @param path Names the value in the error. */
export function checkShape<Value>(shape: Shape<Value>, value: unknown, path: string): Value {
  const problems = shape(value);
  if (problems === null) return value as Value;
  const at = problems.map((problem) => (problem.path === "" ? path : `${path}.${problem.path}`));
  throw invalid(
    at[0] as string,
    problems.map(({ what }, index) => `${at[index]} ${what}`),
  );
}

export function invalidSnapshot(path: string, what: string): WorkflowError {
  return invalid(path, [`${path} is ${what}`]);
}

function invalid(path: string, problems: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "SNAPSHOT_INVALID",
    message: `This is not a ${path.startsWith("tick") ? "tick" : "snapshot"} of a run: ${problems.join("; ")}.`,
    hint: "Pass the result of `context.toDict()`, whole and unchanged.",
    details: { path, problems },
  });
}
