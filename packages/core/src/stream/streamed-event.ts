import type { WorkflowEvent } from "../event/event.js";

/** An event in the stream of a run. */
export interface StreamedEvent<out Event extends WorkflowEvent = WorkflowEvent> {
  /** Number of the event, one more than that of the event before. */
  readonly sequence: number;
  readonly event: Event;
  /** Path of the child run that emitted the event; `null` for the run itself. */
  readonly origin: string | null;
  /** Id for `handler.answer(promptId, fields)`; `null` when the event is not a prompt. */
  readonly promptId: string | null;
  /**
   * The work item that wrote the event: equal for all events of one work item and for its {@link StepRestartedEvent}s, different for
   * others, also of children. Left out: the event does not come again when a step restarts, as a prompt.
   */
  readonly writer?: string;
  /** The call of `ctx.run` or `editState` inside of which the event was written. Left out: none. */
  readonly call?: string;
}
