/**
 * The time of a run: the clock's, and never less than that of the run's last tick.
 *
 * Where somebody sets the clock back, the time of a run goes on from its last tick, at the pace of the clock: it then leads
 * the clock by as much as that was set back. Without a lead, each sleep would be longer by that. Only runs in memory have
 * one: a run that begins or is loaded later goes by the clock, unless its last tick is ahead of it.
 *
 * @module
 */
import type { Clock } from "../engine/ports.js";
import type { RunState } from "../engine/state.js";

/** Less than this is no set clock: timers of the host may fire a little early. */
const LEAST_LEAD_MS = 1_000;

// Here, because a run that waits pays for every field.
const leads = new WeakMap<RunState, number>();
let hasLeads = false;

export function timeOf(state: RunState, clockMs: number): number {
  const { atMs } = state;
  if (clockMs >= atMs) {
    if (hasLeads) leads.delete(state); // the clock was set right, or has caught up
    return clockMs;
  }
  const behindMs = atMs - clockMs;
  if (behindMs < LEAST_LEAD_MS) return atMs;
  const leadMs = leads.get(state) ?? 0;
  // By little: the run's own timer was early.
  if (behindMs - leadMs >= LEAST_LEAD_MS) {
    leads.set(state, behindMs);
    hasLeads = true;
    return atMs;
  }
  return Math.max(atMs, clockMs + leadMs);
}

/** By how many milliseconds the time of the run is ahead of the clock: 0, unless that was set back. */
export function leadOf(state: RunState, clockMs: number): number {
  timeOf(state, clockMs);
  return hasLeads ? (leads.get(state) ?? 0) : 0;
}

/** A moment of the clock, in the time of the run. They differ only where the clock was set back. */
export function timeAt(
  run: { readonly state: RunState; readonly host: { readonly ports: { readonly clock: Clock } } },
  clockMs: number,
): number {
  return clockMs + leadOf(run.state, run.host.ports.clock.now());
}
