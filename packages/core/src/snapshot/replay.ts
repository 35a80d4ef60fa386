/** Rebuilds the state of a run from its ticks. */
import { reduce } from "../engine/reduce.js";
import type { Routing } from "../engine/routing.js";
import type { RunState } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { createStoredRouting } from "./stored-routing.js";

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
