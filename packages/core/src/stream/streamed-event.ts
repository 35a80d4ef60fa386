import type { WorkflowEvent } from "../event/event.js";

/** One event as stream readers get it. */
export interface StreamedEvent<out Event extends WorkflowEvent = WorkflowEvent> {
  /** Grows by one from event to event. */
  readonly sequence: number;
  readonly event: Event;
  /** The path of the child run that it came from; null for the run itself. */
  readonly origin: string | null;
  /** Answer this prompt with `handler.answer(promptId, fields)`. Null when the event is no prompt. */
  readonly promptId: string | null;
}
