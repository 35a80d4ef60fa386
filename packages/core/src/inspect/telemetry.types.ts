/**
 * What a tracer gets besides inspection events: the trace of a run, and calls around the code of its steps.
 *
 * `@millrace/otel` is one. Methods are called synchronously, and must not throw.
 *
 * @module
 */
import type { TraceContext } from "../engine/state.js";
import type { Inspection } from "./inspection-events.js";

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
  /** Its id within the work item: `run=` and its key, behind its scopes. */
  readonly call: string;
  readonly key: string;
  /** What readers see instead of the key, if the call has a label. */
  readonly label?: string;
  /** Number of the attempt of the call, from 1. */
  readonly callAttempt: number;
}
