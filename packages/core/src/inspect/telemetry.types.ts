/**
 * What a tracer needs of runs beside inspection events: the trace that a run is in, and to be around the code of its steps.
 *
 * `@millrace/otel` is one. Its methods are called at once where something happens, and must not throw.
 *
 * @module
 */
import type { TraceContext } from "../engine/state.js";
import type { Inspection } from "./inspection-events.js";

/** Given to `workflow.use(…)`, or to a runtime for all of its workflows. */
export interface Telemetry {
  /** Read before everything else: while it is `false`, nothing else here is called, and no payload is made. */
  readonly isActive: boolean;
  /**
   * Called in the code that starts a run, before the run is stored. Gives the span that the run belongs to in every process from here
   * on; `null` leaves it in a trace of its own.
   */
  onStart(run: StartingRun): TraceContext | null;
  /** What happens to the runs, in order. Ends of attempts are told once they are stored. */
  onInspection(inspection: Inspection): void;
  /** Calls the code of a step: `work`, once, at once. Gives what that gives, and throws what that throws. */
  callStep(call: AttemptCall, work: () => unknown): unknown;
  /** Calls the function of a `ctx.run` in the same way. */
  callEffect(call: EffectOfAttempt, work: () => unknown): unknown;
}

export interface StartingRun {
  readonly workflow: string;
  readonly runId: string;
  /** The trace context that the run was given, such as that of an HTTP request. */
  readonly trace: TraceContext | null;
}

/** The attempt that is about to call code of the user; its `step.started` was told. */
export interface AttemptCall {
  readonly runId: string;
  readonly item: number;
  readonly attempt: number;
  /** The context that the step holds. */
  readonly ctx: object;
}

export interface EffectOfAttempt extends AttemptCall {
  readonly key: string;
}
