import type { Definition } from "./definition.js";
import { features } from "./features.js";
import { collecting } from "./reduce/collect.js";
import { joining } from "./reduce/join.js";
import { createRouting, type Routing } from "./routing.js";

/**
 * A definition, indexed: where each event goes. Of any definition, stored ones included: the code of today may have no
 * `collect()` and no `join()` any more.
 */
export function createStoredRouting(definition: Definition): Routing {
  features.collect = collecting;
  features.join = joining;
  return createRouting(definition);
}
