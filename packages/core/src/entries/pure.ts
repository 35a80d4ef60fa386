/**
 * What pages import without the engine, and what `reading` needs. This entry keeps it in a file of its own, which has no effect when it
 * loads, so that bundlers can leave out the rest. No code imports it.
 */
export { runLimits } from "../engine/definition.js";
export { StartEvent, StopEvent } from "../event/built-in-events.js";
export { event } from "../event/event.js";
export { placesOf, readableCall } from "../run/attempt/call-places.js";
export { checkShape } from "../snapshot/format.js";
export { ruleOf } from "../value/option-rules.js";
export { isVersion } from "../value/version.js";
