import { encodingGathered } from "../snapshot/encode-gathered.js";
import type { Definition } from "./definition.js";
import { features } from "./features.js";
import { collecting } from "./reduce/collect.js";
import { fanning } from "./reduce/elements.js";
import { gathering } from "./reduce/gathered.js";
import { joining } from "./reduce/join.js";
import { recovering } from "./reduce/recovery.js";
import { createRouting, type Routing } from "./routing.js";

/**
 * Indexes a definition: where each event goes. Works for stored definitions, too, when the present code has no
 * `collect()`, `join()`, `many()` and `catchError()` any more.
 */
export function createStoredRouting(definition: Definition): Routing {
  features.collect = collecting;
  features.join = joining;
  features.gathered = gathering;
  features.snapshot = encodingGathered;
  features.fans = fanning;
  features.recovery = recovering;
  return createRouting(definition);
}
