/**
 * What happened to a run: the only input of `reduce`. Plain data, stored before it is applied.
 *
 * Names are past tense. Ticks of an attempt carry its number: what a fenced attempt still says is refused.
 *
 * @module
 */
import type { ErrorRecord } from "../errors/error-record.js";
import type { Definition } from "./definition.js";
import type { EventData } from "./state.js";

export type Tick =
  | RunStarted
  | RunResumed
  | RunRetried
  | RunCancelled
  | RunIdled
  | DefinitionChanged
  | EventReceived
  | TimePassed
  | StepCompleted
  | StepFailed
  | StepYielded
  | SendsCommitted
  | WaitOpened
  | SleepOpened
  | ChildOpened
  | ChildClosed
  | CallAwaited
  | EffectRecorded
  | EventCollected
  | StateEdited
  | StreamWritten;

interface Happened {
  /** Epoch milliseconds; never less than that of the tick before. */
  readonly atMs: number;
}

/** Said by one attempt of a work item. */
interface OfAttempt extends Happened {
  readonly item: number;
  readonly attempt: number;
}

export interface RunStarted extends Happened {
  readonly type: "run.started";
  readonly event: EventData;
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  /** Where the run comes from. */
  readonly lineage: Lineage | null;
  /** Reserved: how hosts group, trace and rank runs. */
  readonly labels: { readonly [name: string]: string } | null;
  /** The state it starts on, where the ticks alone have to give it. */
  readonly store?: unknown;
}

export interface Lineage {
  readonly parent: string | null;
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
}

/** Loaded again: what was under way starts over. */
export interface RunResumed extends Happened {
  readonly type: "run.resumed";
  readonly timeoutMs?: number | null;
  readonly deadlineMs?: number | null;
}

/** Failed and leftover items run again, with fresh counters. */
export interface RunRetried extends Happened {
  readonly type: "run.retried";
  readonly timeoutMs?: number | null;
  readonly deadlineMs?: number | null;
}

export interface RunCancelled extends Happened {
  readonly type: "run.cancelled";
  readonly reason: unknown;
}

/** Nothing is left to do now. */
export interface RunIdled extends Happened {
  readonly type: "run.idled";
}

/** The code has another routing table from here on. */
export interface DefinitionChanged extends Happened {
  readonly type: "definition.changed";
  readonly definition: Definition;
}

/** From outside. */
export interface EventReceived extends Happened {
  readonly type: "event.received";
  readonly event: EventData;
  readonly step: string | null;
  /** Answers exactly this prompt. */
  readonly promptId: string | null;
  /** Whom to tell whether it was taken. Below zero: the position of a stored post. */
  readonly ticket: number | null;
}

/** Timers that are due by now fire; every other tick makes them fire as well. */
export interface TimePassed extends Happened {
  readonly type: "time.passed";
}

export interface StepCompleted extends OfAttempt {
  readonly type: "step.completed";
  /** One event, several as one batch, or nothing. */
  readonly output: EventData | readonly EventData[] | null;
  /** What it sent since its last commit point. */
  readonly sends: readonly Send[] | null;
  /** The edit that it ends with: made before its output is dispatched. Left out: none. */
  readonly change?: StateChange;
}

export interface Send {
  readonly call: string;
  readonly event: EventData;
  readonly step: string | null;
  readonly dueAtMs: number | null;
  /** Outside of every fan-out. */
  readonly toRun: boolean;
  /** An element of the fan-out that the sender opens. Left out: where the sender is. */
  readonly isElement?: true;
}

export interface StepFailed extends OfAttempt {
  readonly type: "step.failed";
  readonly error: ErrorRecord;
  /** The verdict of the retry policy, not the policy. Null: failed for good. */
  readonly retryAtMs: number | null;
  /** It had returned, and what it would have stored was refused: no failure of the step. */
  readonly isRefused?: true;
  /** Its generator had begun: it has opened its fan-out, whether it gave anything or not. */
  readonly isGenerator?: true;
}

/** A generator gave one element of its batch. */
export interface StepYielded extends OfAttempt {
  readonly type: "step.yielded";
  readonly call: string;
  readonly digest: string;
  readonly event: EventData;
}

export interface SendsCommitted extends OfAttempt {
  readonly type: "sends.committed";
  readonly sends: readonly Send[];
}

interface OfCall extends OfAttempt {
  readonly call: string;
}

export interface WaitOpened extends OfCall {
  readonly type: "wait.opened";
  readonly accepts: readonly string[];
  readonly where: Readonly<Record<string, unknown>> | null;
  readonly prompt: EventData | null;
  readonly dueAtMs: number | null;
}

export interface SleepOpened extends OfCall {
  readonly type: "sleep.opened";
  readonly dueAtMs: number;
}

export interface ChildOpened extends OfCall {
  readonly type: "child.opened";
  readonly name: string;
  readonly start: EventData;
  /** The child works on the state of the run that opened it. Left out: on one of its own. */
  readonly sharesStore?: true;
  /** Of the child as a run. Left out: that of its workflow. */
  readonly timeoutMs?: number;
}

/** Said by the child, whatever attempt its parent is in. */
export interface ChildClosed extends Happened {
  readonly type: "child.closed";
  readonly item: number;
  readonly call: string;
  /** Of the child: its result is an event of that workflow. */
  readonly name: string;
  readonly result: EventData | null;
  readonly error: ErrorRecord | null;
}

/** A later attempt asks for a call that is still open. */
export interface CallAwaited extends OfCall {
  readonly type: "call.awaited";
}

/** `ctx.run` has succeeded. */
export interface EffectRecorded extends OfCall {
  readonly type: "effect.recorded";
  readonly value: unknown;
}

/** `ctx.collectEvents` */
export interface EventCollected extends OfCall {
  readonly type: "event.collected";
  readonly buffer: string;
  readonly expected: readonly string[];
  /** What each place of the set takes, where that is more than the type expected there. */
  readonly accepts?: readonly (readonly string[])[];
  readonly event: EventData;
}

export interface StateEdited extends Happened {
  readonly type: "state.edited";
  /** Null when the caller of the run edited it. */
  readonly item: number | null;
  readonly attempt: number;
  readonly call: string | null;
  readonly change: StateChange;
  /** What `editState` gave back, or what `set` set. */
  readonly value: unknown;
}

export type StateChange = PatchedState | ReplacedState;
export interface PatchedState {
  readonly patches: readonly StatePatch[];
  /** The state after it, where it is known already. Never stored: the patches give it. */
  readonly next?: unknown;
}
export interface ReplacedState {
  readonly whole: true;
  readonly next: unknown;
}
export interface StatePatch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

export interface StreamWritten extends Happened {
  readonly type: "stream.written";
  /** Null for an event that comes from a child. */
  readonly item: number | null;
  readonly attempt: number;
  readonly event: EventData;
  /** Path of children below this run, such as `"digest"`. */
  readonly origin: string | null;
  readonly promptId: string | null;
}
