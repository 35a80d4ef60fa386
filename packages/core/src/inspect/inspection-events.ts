/**
 * Inspection events of a workflow's runs, by name: `workflow.on("step.completed", …)`.
 *
 * Payloads contain live events and errors, not copies. They are created only while there are listeners.
 *
 * @module
 */

import type { TraceContext, waitKinds } from "../engine/state.js";
import type { WorkDiscarded } from "../event/built-in-events.js";
import type { WorkflowEvent } from "../event/event.js";
import type { StreamedEvent } from "../stream/run-stream.js";

/** Fields of every payload. Ids are W3C trace ids, equal after every restore. */
export interface RunFacts {
  readonly workflow: string;
  readonly runId: string;
  /** Tenant of the root run, set by its runtime; `""` for none. */
  readonly tenant: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Span of the attempt that started the run, or the span in which it was started; `null` for a run in a separate trace. */
  readonly parentSpanId: string | null;
  /** The trace context that the root run was started in; `null` for one in a separate trace. */
  readonly trace: TraceContext | null;
  /** Time of the event, in epoch milliseconds. */
  readonly atMs: number;
}

/** Fields of events about one attempt, whose span is a child of the run's span. */
export interface AttemptFacts extends RunFacts {
  readonly step: string;
  /** Id of the work item: one delivery of one event, batch or set to one step. */
  readonly item: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** `retry`: a call of `ctx.run` has failed, and its next attempt comes later. */
export type WaitKind = (typeof waitKinds)[keyof typeof waitKinds];

/** Payloads of the inspection events, by name. */
export interface InspectionEvents {
  readonly "run.started": RunFacts & { readonly event: WorkflowEvent };
  readonly "run.completed": RunFacts & { readonly event: WorkflowEvent; readonly elapsedMs: number };
  readonly "run.failed": RunFacts & {
    readonly error: unknown;
    readonly step: string | null;
    readonly elapsedMs: number;
  };
  readonly "run.cancelled": RunFacts & { readonly reason: unknown; readonly elapsedMs: number };
  readonly "run.timedOut": RunFacts & {
    readonly timeoutMs: number;
    readonly activeSteps: readonly string[];
    readonly elapsedMs: number;
  };
  /** The run has nothing to do without input from outside. */
  readonly "run.idle": RunFacts & { readonly wakeAtMs: number | null };
  readonly "run.resumed": RunFacts;
  /** The run leaves the memory of this process without an end. It resumes where it is loaded next. */
  readonly "run.released": RunFacts & { readonly reason: string };

  readonly "step.started": AttemptFacts & { readonly events: readonly WorkflowEvent[] };
  readonly "step.completed": AttemptFacts & { readonly events: readonly WorkflowEvent[]; readonly elapsedMs: number };
  /** An attempt has failed. `final`: no other attempt follows. */
  readonly "step.failed": AttemptFacts & {
    readonly error: unknown;
    readonly elapsedMs: number;
    readonly final: boolean;
  };
  readonly "step.retrying": AttemptFacts & { readonly delayMs: number };
  /** The attempt waits, and its slot is free. */
  readonly "step.waiting": AttemptFacts & { readonly kind: WaitKind; readonly until: number | null };
  /** The awaited event or time of an attempt has arrived, or the wait has timed out. It had waited since `sinceMs`. */
  readonly "step.answered": AttemptFacts & {
    readonly kind: WaitKind;
    readonly sinceMs: number;
    readonly isTimeout: boolean;
    /** `true` if its `signal` closed it or it lost a race, so nothing arrived. */
    readonly isClosed: boolean;
  };
  /** The attempt has ended without an outcome: its run has ended, or its work was cancelled. */
  readonly "step.stopped": AttemptFacts & { readonly reason: string; readonly elapsedMs: number };
  /**
   * The attempt was running when its run left the memory of a process. It is over, and its step starts again. Comes before
   * `run.resumed`. `startedAtMs` is `null` when it is unknown.
   */
  readonly "step.interrupted": AttemptFacts & { readonly startedAtMs: number | null };
  /** A repeated attempt did not repeat calls of an earlier one. */
  readonly "step.diverged": AttemptFacts & { readonly calls: readonly string[] };
  readonly "step.restarted": AttemptFacts;

  readonly "event.received": RunFacts & { readonly event: WorkflowEvent; readonly step: string | null };
  /** `eventType` is `null` for an answer to a closed prompt. */
  readonly "event.refused": RunFacts & {
    readonly eventType: string | null;
    readonly code: string;
    readonly hint: string;
  };
  /** No step accepted the event. */
  readonly "event.unhandled": RunFacts & { readonly event: WorkflowEvent; readonly step: string | null };
  readonly "event.streamed": RunFacts & StreamedEvent;

  /** `step` is `null` when the caller of the run has edited the state. */
  readonly "state.edited": RunFacts & { readonly step: string | null; readonly paths: readonly string[] };
  readonly "join.incomplete": RunFacts & {
    readonly step: string;
    readonly missing: readonly string[];
    readonly events: readonly WorkflowEvent[];
  };
  /** The run is completed while work was left, which is discarded. */
  readonly "work.discarded": RunFacts & WorkDiscarded;
  readonly "timer.fired": RunFacts & { readonly dueAtMs: number };
  readonly "child.started": AttemptFacts & { readonly child: string; readonly childRunId: string };
  readonly "child.finished": AttemptFacts & {
    readonly child: string;
    readonly childRunId: string;
    readonly status: "completed" | "failed";
  };
}

export type InspectionName = keyof InspectionEvents;

/** Any inspection event, discriminated by `name`. */
export type Inspection = {
  readonly [Name in InspectionName]: { readonly name: Name; readonly payload: InspectionEvents[Name] };
}[InspectionName];

// ---- the tracer: it receives inspection events, the trace of a run, and calls around the code of its steps
// `@millrace/otel` is one. Methods are called synchronously, and must not throw.

/** Tracer of runs, for `workflow.use(…)`, or for all workflows of a runtime. */
export interface Telemetry {
  /** Read before everything else: while it is `false`, nothing else here is called, and no payload is made. */
  readonly isActive: boolean;
  /**
   * Called in the code that starts a run, before the run is stored. Returns the span that the run belongs to, in every process from
   * now on; `null` leaves the run in a separate trace.
   */
  onStart(run: StartingRun): TraceContext | null;
  /** Called for every inspection event of the runs, in order. The end of an attempt is reported once it is stored. */
  onInspection(inspection: Inspection): void;
  /** Calls `work`, the code of a step, once and synchronously. Returns what `work` returns, and throws what it throws. */
  callStep(call: AttemptCall, work: () => unknown): unknown;
  /**
   * Calls the function of a `ctx.run` in the same way.
   *
   * @param given The argument of the function, an `EffectCall`: who answers in its place can send and end with an edit as it does.
   */
  callEffect(call: EffectOfAttempt, work: () => unknown, given: object): unknown;
}

export interface StartingRun {
  readonly workflow: string;
  readonly runId: string;
  /** The trace context that the run was given, such as that of an HTTP request. */
  readonly trace: TraceContext | null;
}

/** An attempt that is about to call user code; its `step.started` was reported. */
export interface AttemptCall {
  readonly runId: string;
  readonly tenant: string;
  readonly item: number;
  readonly attempt: number;
  /** The context that the step holds. */
  readonly ctx: object;
}

export interface EffectOfAttempt extends AttemptCall {
  /** Call id within the work item: `run=` and its key, behind its scopes. */
  readonly call: string;
  readonly key: string;
  /** Label that readers see instead of the key, if the call has one. */
  readonly label?: string;
  /** Number of the attempt of the call, from 1. */
  readonly callAttempt: number;
}
