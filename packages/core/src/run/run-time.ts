/**
 * The time of a run: that of the clock, and never less than that of the run's last tick.
 *
 * If the clock is set back, the time of a run continues from its last tick at the pace of the clock: it then leads the clock by
 * that much. Without a lead, each sleep would be longer by that. Only runs in memory have a lead: a run that begins or is loaded
 * later uses the clock, unless its last tick is ahead of it.
 *
 * @module
 */
import type { Clock } from "../engine/ports.js";
import type { RunState } from "../engine/state.js";

/** A smaller difference is no set clock: timers of the host may fire a little early. */
const LEAST_LEAD_MS = 1_000;

// A WeakMap, because a waiting run pays for every field.
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
  // A small difference: the run's own timer was early.
  if (behindMs - leadMs >= LEAST_LEAD_MS) {
    leads.set(state, behindMs);
    hasLeads = true;
    return atMs;
  }
  return Math.max(atMs, clockMs + leadMs);
}

/** Number of milliseconds by which the time of the run is ahead of the clock: 0, unless the clock was set back. */
export function leadOf(state: RunState, clockMs: number): number {
  timeOf(state, clockMs);
  return hasLeads ? (leads.get(state) ?? 0) : 0;
}

interface RunWithChildren {
  readonly state: RunState;
  readonly children: ReadonlyMap<string, RunWithChildren> | null;
}

/**
 * When the next timer of the run or a child is due; `null` for none.
 *
 * @param clock By whose time. Where it was set back, that differs from the time of the run. @default by the time of the run
 */
export function wakeAt({ state, children }: RunWithChildren, clock: Clock | null = null): number | null {
  const dueAtMs = state.timers?.first()?.dueAtMs;
  const leadMs = dueAtMs === undefined || clock === null ? 0 : leadOf(state, clock.now());
  let firstMs = dueAtMs === undefined ? null : dueAtMs - leadMs;
  for (const child of children?.values() ?? []) {
    const atMs = wakeAt(child, clock);
    if (atMs !== null) firstMs = Math.min(firstMs ?? atMs, atMs);
  }
  return firstMs;
}

/** Converts a time of the clock to the time of the run. They differ only if the clock was set back. */
export function timeAt(
  run: { readonly state: RunState; readonly host: { readonly ports: { readonly clock: Clock } } },
  clockMs: number,
): number {
  return clockMs + leadOf(run.state, run.host.ports.clock.now());
}
