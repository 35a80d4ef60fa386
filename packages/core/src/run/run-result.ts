/** The result of a run: `result` of a plain stop event, else the stop event itself. */
import { StopEvent } from "../event/built-in-events.js";

export function resultOfStop(event: unknown): unknown {
  return StopEvent.is(event) ? event.result : event;
}
