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
import type { StreamedEvent } from "../stream/streamed-event.js";

/** Fields of every payload. Ids are W3C trace ids, equal after every restore. */
export interface RunFacts {
  readonly workflow: string;
  readonly runId: string;
  /** Of the root run, which a runtime has for it; `""` for none. */
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
  /** What the attempt has waited for since `sinceMs` has arrived, or the time is up. */
  readonly "step.answered": AttemptFacts & {
    readonly kind: WaitKind;
    readonly sinceMs: number;
    readonly isTimeout: boolean;
    /** Its `signal` has closed it, or it has lost a race: nothing has arrived. */
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
