/**
 * Timers, and the active time of a run.
 *
 * @module
 */
import type { Timer, TimerPurpose } from "../state.js";
import { Timers } from "../timers.js";
import type { Reduction } from "./reduction.js";

export function setTimer(reduction: Reduction, dueAtMs: number, purpose: TimerPurpose): Timer {
  const { state } = reduction;
  state.timers ??= new Timers();
  return state.timers.add({ dueAtMs, order: state.nextId++, position: 0, ...purpose });
}

/** One more item is ready or running. */
export function markActive(reduction: Reduction): void {
  const { state } = reduction;
  if (state.active++ > 0) return;
  state.activeSinceMs = state.atMs;
  if (state.timeoutMs !== null)
    state.runTimer = setTimer(reduction, state.atMs + state.timeoutMs - state.activeMs, { kind: "timeout" });
}

/** One less item is ready or running. */
export function markInactive(reduction: Reduction): void {
  const { state } = reduction;
  if (--state.active === 0) stopClock(reduction);
}

/** Stops counting active time until an item is ready or running again. */
export function stopClock({ state }: Pick<Reduction, "state">): void {
  if (state.activeSinceMs === null) return;
  state.activeMs += state.atMs - state.activeSinceMs;
  state.activeSinceMs = null;
  if (state.runTimer !== null) state.timers?.remove(state.runTimer);
  state.runTimer = null;
}
