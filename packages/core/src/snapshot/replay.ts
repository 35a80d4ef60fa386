/** Rebuilds the state of a run from its ticks. */

import type { Definition } from "../engine/definition.js";
import { optionalModules } from "../engine/optional-modules.js";
import { collecting, gathering } from "../engine/reduce/collect.js";
import { fanOutFeature } from "../engine/reduce/fan-out.js";
import { recover } from "../engine/reduce/items.js";
import { joining } from "../engine/reduce/join.js";
import { reduce } from "../engine/reduce.js";
import { createRouting, type Routing } from "../engine/routing.js";
import type { RunState } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { encodingGathered } from "./encode.js";

/**
 * Reduces the ticks in order and performs nothing. Changes the given state and returns it.
 *
 * @param routing Routing table at the first tick; each `definition.changed` brings the next one.
 */
export function replay(routing: Routing, state: RunState, ticks: Iterable<Tick>): RunState {
  let table = routing;
  for (const tick of ticks) {
    if (tick.type === "definition.changed") table = createStoredRouting(tick.definition);
    reduce(table, state, tick);
  }
  return state;
}

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
