/** This entry keeps the classes of events in a file of their own, so that bundlers can leave out the rest. No code imports it. */
export { StartEvent, StopEvent } from "../event/built-in-events.js";
export { event } from "../event/event.js";
