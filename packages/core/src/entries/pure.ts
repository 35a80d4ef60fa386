/**
 * What pages import without the engine. This entry keeps it in files of its own, which have no effect when they load, so that
 * bundlers can leave out the rest. No code imports it.
 */
export { StartEvent, StopEvent } from "../event/built-in-events.js";
export { event } from "../event/event.js";
export { placesOf, readableCall } from "../run/attempt/call-places.js";
export { ruleOf } from "../value/option-rules.js";
