/**
 * The snapshot of a run as plain JSON, version 1. Formats only grow: what a released version wrote stays readable.
 *
 * Left out is what follows from the rest: slots, how much is open in a fan-out, indexes of waits, the run's own timer. The types
 * are those of the run, less what is left out: a new field of an item or a call does not compile before it is stored or left out.
 *
 * @module
 */
import type {
  Arrival,
  ChildRecord,
  Failure,
  Leftover,
  Outcome,
  Parcel,
  RunState,
  Scope,
  SleepRecord,
  Timer,
  TraceContext,
  WaitRecord,
  WorkItem,
} from "../engine/state.js";
import type { EncodedEvent } from "../event/event-codec.js";
import type { EncodedValue } from "../value/codec.js";

export const SNAPSHOT_FORMAT = "millrace/run";
export const SNAPSHOT_VERSION = 1;

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

export interface SnapshotV1 extends Readonly<Pick<RunState, Facts>> {
  readonly format: typeof SNAPSHOT_FORMAT;
  readonly version: 1;
  readonly outcome: EncodedOutcome | null;
  /** Left out by a child that shares that of its parent. */
  readonly store?: EncodedValue;
  /** Of the workflow's state. Left out when it is 1. */
  readonly stateVersion?: number;
  readonly items?: readonly EncodedItem[];
  readonly scopes?: readonly EncodedScope[];
  readonly joins?: readonly EncodedJoin[];
  readonly sets?: readonly (readonly [string, readonly EncodedEvent[]])[];
  readonly inbox?: readonly EncodedParcel[];
  /** Those that a step emitted. */
  readonly prompts?: readonly EncodedPrompt[];
  readonly timers?: readonly EncodedTimer[];
  /** Collect steps that have had no batch yet, and what came to steps in vain: what `RUN_STUCK` says. */
  readonly unfired?: readonly string[];
  readonly leftovers?: readonly Leftover[];
  /** Left out by a run in a trace of its own. */
  readonly trace?: TraceContext;
  /** Left out when it is 0. */
  readonly ends?: number;
  /** Snapshots of open children, by run id. */
  readonly children?: { readonly [runId: string]: SnapshotV1 };
}

export type EncodedOutcome =
  | { readonly status: "completed"; readonly event: EncodedEvent }
  | { readonly status: "failed"; readonly failure: EncodedFailure }
  | { readonly status: "cancelled"; readonly reason: EncodedValue }
  | Extract<Outcome, { readonly status: "timedOut" }>;

export interface EncodedFailure extends Omit<Failure, "input"> {
  readonly input: readonly EncodedEvent[];
}

/** What an attempt makes of it is left out: it starts over. */
type AtWork = "open" | "answered" | "retryTimer";

export interface EncodedItem
  extends Readonly<Omit<WorkItem, "input" | "scope" | "status" | "memory" | "fan" | AtWork>> {
  readonly input: EncodedInput;
  readonly scope: number | null;
  readonly status: "ready" | "delayed" | "failed";
  readonly memory?: readonly EncodedRecord[];
  /** The fan-out that it feeds. Null: it has fed one that was cancelled. */
  readonly fan?: number | null;
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

export interface EncodedParcel extends Omit<Parcel, "event" | "scope"> {
  readonly event: EncodedEvent;
  readonly scope: number | null;
}

export interface EncodedScope extends Readonly<Pick<Scope, "id" | "opener" | "parentIndex" | "collects" | "size">> {
  readonly parent: number | null;
  /** Whether open work is counted by element. */
  readonly counted: boolean;
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
  /** Left out where it arose in that fan-out itself. */
  readonly path?: readonly number[];
  readonly event: EncodedEvent;
}

export interface EncodedJoin {
  readonly key: string;
  readonly step: string;
  readonly arrivals: readonly EncodedParcel[];
}

export type EncodedRecord =
  | EncodedWait
  | Readonly<Omit<SleepRecord, "awaitedIn" | "timer">>
  | EncodedChild
  | { readonly kind: "send"; readonly call: string }
  | { readonly kind: "edit" | "run"; readonly call: string; readonly value: EncodedValue }
  | { readonly kind: "set"; readonly call: string; readonly events: readonly EncodedEvent[] | null }
  | { readonly kind: "yield"; readonly call: string; readonly digest: string };

interface EncodedPrompt {
  readonly promptId: string;
  readonly event: EncodedEvent;
  readonly step?: string;
  readonly askedAtMs?: number;
}

interface EncodedWait
  extends Readonly<Omit<WaitRecord, "awaitedIn" | "item" | "timer" | "where" | "prompt" | "askedAtMs" | "event">> {
  readonly askedAtMs?: number;
  readonly where: EncodedValue | null;
  readonly prompt: EncodedEvent | null;
  readonly event: EncodedEvent | null;
}

/** Its events are those of the child. */
interface EncodedChild
  extends Readonly<Omit<ChildRecord, "awaitedIn" | "start" | "sharesStore" | "timeoutMs" | "result">> {
  readonly start: EncodedEvent;
  /** Its snapshot has no state: it is that of the run around it. */
  readonly sharesStore?: true;
  readonly timeoutMs?: number;
  readonly result: EncodedEvent | null;
}

export type EncodedTimer = Pick<Timer, "dueAtMs" | "order"> &
  (
    | { readonly kind: "call"; readonly item: number; readonly call: string }
    | { readonly kind: "retry"; readonly item: number }
    | { readonly kind: "send"; readonly parcel: EncodedParcel }
    | { readonly kind: "deadline" }
  );
