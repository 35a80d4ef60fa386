/**
 * Ticks: what happened to a run, and the only input of `reduce`. Plain data, stored before it is applied.
 *
 * Names are in the past tense. Ticks of an attempt carry its number, so that ticks of an attempt that no longer counts
 * are refused.
 *
 * Commands: what a run has to do next, decided by `reduce` and performed by its host. Plain data.
 *
 * A lost command loses no work: after a load, outstanding commands are derived from the state again.
 *
 * @module
 */
import type { DoneBy } from "../event/event.types.js";
import type { StateChange } from "../state/patches.js";
import type { ErrorRecord } from "../value/error-record.js";
import { formatValue } from "../value/kind.js";
import type { WrittenPieces } from "../value/pieces.js";
import type { Definition } from "./definition.js";
import type { EventData, Outcome, TraceContext } from "./state.js";

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
  | CallClosed
  | EffectOpened
  | EffectFailed
  | EffectRecorded
  | EventCollected
  | StateEdited
  | StreamWritten;

interface Happened {
  /** Epoch milliseconds, never less than those of the tick before. */
  readonly atMs: number;
}

/** Something that a caller of the runtime has done. */
interface ByCaller extends Happened {
  /** Who did it. Absent if not known. */
  readonly by?: DoneBy;
}

/** A tick from one attempt of a work item. */
interface OfAttempt extends Happened {
  readonly item: number;
  readonly attempt: number;
}

export interface RunStarted extends ByCaller {
  readonly type: "run.started";
  readonly event: EventData;
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  /** Origin of the run. */
  readonly lineage: Lineage | null;
  /** Reserved: how hosts group, trace and rank runs. */
  readonly labels: { readonly [name: string]: string } | null;
  /** Initial state, where the ticks alone must define it. */
  readonly store?: unknown;
  /** Trace that the run belongs to. Absent for a run in its own trace. */
  readonly trace?: TraceContext;
}

export interface Lineage {
  readonly parent: string | null;
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
}

/** The run was loaded again: work under way starts over. */
export interface RunResumed extends ByCaller {
  readonly type: "run.resumed";
  readonly timeoutMs?: number | null;
  readonly deadlineMs?: number | null;
}

/** Failed and leftover items run again, with reset counters. */
export interface RunRetried extends ByCaller {
  readonly type: "run.retried";
  readonly timeoutMs?: number | null;
  readonly deadlineMs?: number | null;
}

export interface RunCancelled extends ByCaller {
  readonly type: "run.cancelled";
  readonly reason: unknown;
  /** Ticket of the sender that awaits a receipt, as in {@link EventReceived}. @default none */
  readonly ticket?: number;
}

/** The run has nothing left to do now. */
export interface RunIdled extends Happened {
  readonly type: "run.idled";
}

/** The code has another routing table from here on. */
export interface DefinitionChanged extends Happened {
  readonly type: "definition.changed";
  readonly definition: Definition;
}

/** An event from outside. */
export interface EventReceived extends ByCaller {
  readonly type: "event.received";
  readonly event: EventData;
  readonly step: string | null;
  /** The prompt that it answers; `null` for any. */
  readonly promptId: string | null;
  /** Ticket of the sender that awaits a receipt. Below zero: the position of a stored post. */
  readonly ticket: number | null;
}

/** Fires due timers, as every other tick does. */
export interface TimePassed extends Happened {
  readonly type: "time.passed";
}

export interface StepCompleted extends OfAttempt {
  readonly type: "step.completed";
  /** One event, several as one batch, or nothing. */
  readonly output: EventData | readonly EventData[] | null;
  /** Events that it sent since its last commit point. */
  readonly sends: readonly Send[] | null;
  /** The edit with which it ends, applied before its output is dispatched; absent without one. */
  readonly change?: StateChange;
  /** Events that the edit shows to readers. Absent if there are none. */
  readonly shown?: readonly EventData[];
  /** See {@link StepFailed}. */
  readonly elapsedMs?: number;
}

export interface Send {
  readonly call: string;
  readonly event: EventData;
  readonly step: string | null;
  readonly dueAtMs: number | null;
  /** `true` outside of every fan-out. */
  readonly toRun: boolean;
  /** Set for an element of the fan-out that the sender opens; absent: in the scope of the sender. */
  readonly isElement?: true;
}

export interface StepFailed extends OfAttempt {
  readonly type: "step.failed";
  readonly error: ErrorRecord;
  /** Verdict of the retry policy, in epoch milliseconds; `null` when the failure is final. */
  readonly retryAtMs: number | null;
  /** `true` if its generator had begun, and so had opened its fan-out, even without an element. */
  readonly isGenerator?: true;
  /**
   * Milliseconds since the attempt began, waits included; it begins after the tick that started it is stored. Absent for a
   * first attempt that began at the time of that tick. Only readers use it.
   */
  readonly elapsedMs?: number;
}

/** A generator has yielded one element of its batch. */
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

/** A call that releases the worker slot. */
interface SlotlessOpened extends OfCall {
  /** Race that it takes part in: the first answer closes the other calls of the race. Absent for a call outside of races. */
  readonly race?: string;
}

export interface WaitOpened extends SlotlessOpened {
  readonly type: "wait.opened";
  readonly accepts: readonly string[];
  readonly where: Readonly<Record<string, unknown>> | null;
  readonly prompt: EventData | null;
  /** Id of the prompt. If it is absent, or that of another open prompt, the run numbers the prompt. */
  readonly promptId?: string;
  readonly dueAtMs: number | null;
}

export interface SleepOpened extends SlotlessOpened {
  readonly type: "sleep.opened";
  readonly dueAtMs: number;
}

export interface ChildOpened extends SlotlessOpened {
  readonly type: "child.opened";
  readonly name: string;
  readonly start: EventData;
  /** The child uses the state of the run that opened it; absent: its own. */
  readonly sharesStore?: true;
  /** Limit of the child's active time; absent: the limit of its workflow. */
  readonly timeoutMs?: number;
}

/** Reported by the child, for any attempt of its parent. */
export interface ChildClosed extends Happened {
  readonly type: "child.closed";
  readonly item: number;
  readonly call: string;
  /** Name of the child, to whose workflow the result belongs. */
  readonly name: string;
  readonly result: EventData | null;
  readonly error: ErrorRecord | null;
}

/** A later attempt repeats a call that is still open. */
export interface CallAwaited extends OfCall {
  readonly type: "call.awaited";
}

/** The step has closed a wait, a sleep or a child that was still open: its `signal` has aborted. */
export interface CallClosed extends OfCall {
  readonly type: "call.closed";
  readonly reason: ErrorRecord;
}

/** A tick from one attempt of a call of `ctx.run`. */
interface OfEffect extends OfCall {
  /** Number of the attempt of the call; absent for the first. */
  readonly callAttempt?: number;
  /** Label that readers see instead of the key. */
  readonly label?: string;
}

/**
 * `ctx.run` is at work. A call without options whose function has ended within the same turn of the host has no such tick, and none
 * has it in a run that is not stored.
 */
export interface EffectOpened extends OfEffect {
  readonly type: "effect.opened";
}

/** An attempt of `ctx.run` has failed. */
export interface EffectFailed extends OfEffect {
  readonly type: "effect.failed";
  readonly error: ErrorRecord;
  /** Start of the next attempt, in epoch milliseconds; `null` when the failure is final. */
  readonly retryAtMs: number | null;
  /** Duration of the attempt, in milliseconds. */
  readonly elapsedMs: number;
  /** An event without pieces makes readers discard what the attempt has shown. Absent if it showed nothing, or the failure is final. */
  readonly written?: Pick<WrittenPieces, "attempt" | "pieces">;
}

/** `ctx.run` has succeeded. */
export interface EffectRecorded extends OfEffect {
  readonly type: "effect.recorded";
  readonly value: unknown;
  /** Duration of the attempt, in milliseconds. Absent if it began when the call was opened, or took no time. */
  readonly elapsedMs?: number;
  /** The edit with which it ends, applied before its sends leave; absent without one. */
  readonly change?: StateChange;
  /** Events that the edit shows to readers. Absent if there are none. */
  readonly shown?: readonly EventData[];
  /** Events that its function sent. Absent if there are none. */
  readonly sends?: readonly Send[];
  /** `true` if its function has written to the stream. */
  readonly hasShown?: true;
  /** Pieces that its function has written with `call.write`. Absent if there are none, or nothing is stored. */
  readonly written?: Pick<WrittenPieces, "attempt" | "pieces">;
}

/** A call of `ctx.collectEvents`. */
export interface EventCollected extends OfCall {
  readonly type: "event.collected";
  readonly buffer: string;
  readonly expected: readonly string[];
  /** Types that each place of the set accepts; absent when each accepts only its own. */
  readonly accepts?: readonly (readonly string[])[];
  readonly event: EventData;
}

export interface StateEdited extends Happened {
  readonly type: "state.edited";
  /** `null` when the caller of the run has edited the state. */
  readonly item: number | null;
  readonly attempt: number;
  readonly call: string | null;
  readonly change: StateChange;
  /** Result of `editState`, or the value given to `set`. */
  readonly value: unknown;
  /** See {@link EffectRecorded}. */
  readonly sends?: readonly Send[];
  /** See {@link EffectRecorded}. */
  readonly hasShown?: true;
}

export interface StreamWritten extends Happened {
  readonly type: "stream.written";
  /** `null` for an event of a child. */
  readonly item: number | null;
  readonly attempt: number;
  readonly event: EventData;
  /** Path of children below this run, such as `"digest"`. */
  readonly origin: string | null;
  readonly promptId: string | null;
  /** Writer of an event of a child, as named by the child. */
  readonly writer?: string;
  /** The call of `ctx.run` or `editState` inside of which it was written. */
  readonly call?: string;
}

export type Command =
  | { readonly type: "attempt.start"; readonly item: number }
  /** Ends an attempt, whose outcome no longer counts. */
  | { readonly type: "attempt.end"; readonly item: number; readonly reason: string }
  | { readonly type: "call.settle"; readonly item: number; readonly call: string }
  | { readonly type: "generator.pull"; readonly item: number }
  | { readonly type: "child.start"; readonly item: number; readonly call: string }
  | { readonly type: "child.cancel"; readonly runId: string }
  | {
      readonly type: "stream.publish";
      readonly sequence: number;
      readonly event: EventData;
      readonly origin: string | null;
      readonly promptId: string | null;
      readonly writer?: string;
      readonly call?: string;
    }
  | { readonly type: "receipt.send"; readonly ticket: number; readonly receipt: Receipt }
  /** Information for inspection; nothing depends on it. */
  | { readonly type: "note"; readonly note: Note }
  | { readonly type: "run.finish"; readonly outcome: Outcome };

export type Receipt =
  | { readonly status: "accepted"; readonly sequence: number }
  | { readonly status: "refused"; readonly code: RefusalCode; readonly hint: string };

export function refused(code: RefusalCode, hint: string): Receipt {
  return { status: "refused", code, hint };
}

/** Receipt of an event for a run that has ended. */
export function runFinished(status: string): Receipt {
  return refused("RUN_FINISHED", `The run is ${status}: start a new one, resume a cancelled or retry a failed one.`);
}

/** Returns the receipt of an answer to a prompt that is closed. */
export function promptClosed(promptId: string): Receipt {
  return refused(
    "PROMPT_CLOSED",
    `Prompt ${typeof promptId === "string" ? promptId : formatValue(promptId)} was answered, timed out or was withdrawn: ask \`idle()\` which prompts are open.`,
  );
}

export type RefusalCode = "EVENT_NOT_ACCEPTED" | "INBOX_FULL" | "PROMPT_CLOSED" | "RUN_FINISHED" | "STEP_UNKNOWN";

export type Note =
  | { readonly kind: "event.unhandled"; readonly event: EventData; readonly step: string | null }
  | { readonly kind: "step.retrying"; readonly item: number; readonly retryAtMs: number }
  | { readonly kind: "tick.refused"; readonly tick: string; readonly reason: string }
  | { readonly kind: "timer.fired"; readonly dueAtMs: number }
  | { readonly kind: "call.answered"; readonly item: number; readonly call: string }
  | { readonly kind: "run.idle" };
