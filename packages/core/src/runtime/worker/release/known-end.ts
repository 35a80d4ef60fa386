/**
 * Ends of runs that are known before their ticks are reduced: such an end is stored with its tick, in one commit.
 *
 * @module
 */
import {
  knownOutcome,
  type LiveRun,
  type Outcome,
  type Receipt,
  type RunCancelled,
  type RunState,
  type Tick,
} from "../../../host.js";
import type { Commit } from "../commit/commit.js";
import { isAtWork } from "./run-summary.js";

/** The outcome of a run without children by these ticks, where it is known before they are reduced, and can be stored with them. */
export function outcomeWith(runner: LiveRun, ticks: readonly Tick[], { create }: Commit): Outcome | null {
  const { attempts, children, descendants, tickets, host, state } = runner;
  const [tick] = ticks;
  if (tick === undefined || ticks.length > 1 || create !== null) return null;
  const others = (children?.size ?? 0) + (descendants?.size ?? 0) + (tickets?.size ?? 0);
  if (tick.type === "run.cancelled") return others === ticketsOf(tick) ? cancelledOutcome(runner, tick) : null;
  return others + attempts.size === 0 ? knownOutcome(host.routing, state, tick) : null;
}

function ticketsOf({ ticket }: RunCancelled): number {
  return ticket === undefined ? 0 : 1;
}

/** Only of a run that waits: the end of a step at work may add to the commit that follows. */
function cancelledOutcome(runner: LiveRun, { atMs, reason }: RunCancelled): Outcome | null {
  const { status, timers, atMs: lastMs } = runner.state;
  const dueAtMs = timers?.first()?.dueAtMs ?? Number.POSITIVE_INFINITY;
  const isAlone = status === "running" && dueAtMs > Math.max(atMs, lastMs) && !isAtWork(runner);
  return isAlone ? { status: "cancelled", reason } : null;
}

/** The receipt of the post that the tick takes; `null` if it takes none. */
export function receiptWith(tick: Tick | undefined, state: RunState): { position: number; receipt: Receipt } | null {
  // Tickets of posts are below zero.
  if (tick?.type !== "run.cancelled" || tick.ticket === undefined || tick.ticket > 0) return null;
  return { position: -tick.ticket, receipt: { status: "accepted", sequence: state.ticks + 1 } };
}

export function isSameEnd(outcome: Outcome, stored: Outcome): boolean {
  if (outcome.status === "completed") return stored.status === "completed" && outcome.event === stored.event;
  return outcome.status === stored.status;
}
