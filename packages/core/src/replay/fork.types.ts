import type { WorkflowEvent } from "../event/event.js";

/** A work item that has not done anything with its event yet. */
export interface PendingDelivery {
  readonly item: number;
  readonly step: string;
  readonly event: WorkflowEvent;
}

/** What the function of one call of `ctx.run` gets as `call.override`, whenever it is called. */
export interface CallOverride {
  /** The work item whose step makes the call. */
  readonly item: number;
  /** Id of the call within the item, as `runtime.attempts` lists it. A call that the step never makes has no effect. */
  readonly call: string;
  /** Plain JSON. */
  readonly value: object;
}

/** What a fork changes before it begins. */
export interface ForkEdits<State = Record<string, unknown>> {
  /** Changes the state that the new run begins with. Events that were emitted before keep the values they have: see `event`. */
  readonly edit?: (state: State) => void;
  /**
   * Replaces these fields of the next delivered event: that of the only work item that has done nothing with its event yet. A
   * function gets the event and returns the fields. The schema of the event checks them; other fields stay as they are.
   */
  readonly event?:
    | Readonly<Record<string, unknown>>
    | ((event: WorkflowEvent, step: string) => Readonly<Record<string, unknown>>);
  /** The work item whose event is replaced, if there are several: `runtime.at(runId, tick)` lists them as `next`. */
  readonly item?: number;
  /** Gives a value to one call of `ctx.run` that has not ended at that tick. */
  readonly override?: CallOverride;
}
