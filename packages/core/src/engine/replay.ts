/** Rebuilds the state of a run from its ticks. */
import { reduce } from "./reduce.js";
import type { Routing } from "./routing.js";
import type { RunState } from "./state.js";
import { createStoredRouting } from "./stored-routing.js";
import type { Tick } from "./tick.js";

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
