/**
 * Timers, and the active time of a run.
 *
 * @module
 */
import type { Timer, TimerPurpose } from "../state.js";
import { Timers } from "../timers.js";
import type { Work } from "./work.js";

export function setTimer(work: Work, dueAtMs: number, purpose: TimerPurpose): Timer {
  const { state } = work;
  state.timers ??= new Timers();
  return state.timers.add({ dueAtMs, order: state.nextId++, position: 0, ...purpose });
}

/** One more item is ready or running. */
export function gain(work: Work): void {
  const { state } = work;
  if (state.active++ > 0) return;
  state.activeSinceMs = state.atMs;
  if (state.timeoutMs !== null)
    state.runTimer = setTimer(work, state.atMs + state.timeoutMs - state.activeMs, { kind: "timeout" });
}

/** One less item is ready or running. */
export function lose(work: Work): void {
  const { state } = work;
  if (--state.active === 0) stopClock(work);
}

/** Stops counting active time until an item is ready or running again. */
export function stopClock({ state }: Work): void {
  if (state.activeSinceMs === null) return;
  state.activeMs += state.atMs - state.activeSinceMs;
  state.activeSinceMs = null;
  if (state.runTimer !== null) state.timers?.remove(state.runTimer);
  state.runTimer = null;
}
