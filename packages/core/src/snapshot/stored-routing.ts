import type { Definition } from "../engine/definition.js";
import { optionalModules } from "../engine/optional-modules.js";
import { collecting } from "../engine/reduce/collect.js";
import { fanOutFeature } from "../engine/reduce/elements.js";
import { gathering } from "../engine/reduce/gathered.js";
import { joining } from "../engine/reduce/join.js";
import { recover } from "../engine/reduce/recovery.js";
import { createRouting, type Routing } from "../engine/routing.js";
import { encodingGathered } from "./encode-gathered.js";

/**
 * Indexes a definition: where each event goes. Works for stored definitions, too, when the present code has no
 * `collect()`, `join()`, `many()` and `catchError()` any more.
 */
export function createStoredRouting(definition: Definition): Routing {
  optionalModules.collect = collecting;
  optionalModules.join = joining;
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  optionalModules.fanOuts = fanOutFeature;
  optionalModules.recovery = recover;
  return createRouting(definition);
}
