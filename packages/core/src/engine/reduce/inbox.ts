/**
 * Events that arrive before a step waits for them.
 *
 * @module
 */
import { reachOf } from "../routing.js";
import type { PendingEvent, WaitRecord } from "../state.js";
import { matchesWhere } from "./answers.js";
import type { Reduction } from "./reduction.js";

/** Keeps an event when a step that can still run (the named one, if any) waits for its type. */
export function keep(reduction: Reduction, pendingEvent: PendingEvent): boolean {
  const waiting = reduction.routing.routes.get(pendingEvent.event.type)?.waiting;
  if (!waiting?.some((name) => isFor(pendingEvent, name) && canRun(reduction, name))) return false;
  reduction.state.inbox ??= [];
  reduction.state.inbox.push(pendingEvent);
  return true;
}

export function isFull(reduction: Reduction): boolean {
  return (reduction.state.inbox?.length ?? 0) >= reduction.routing.definition.inboxSize;
}

function isFor({ step }: PendingEvent, name: string): boolean {
  return step === null || step === name;
}

/** The oldest kept event that this wait of this step takes. */
export function takeKept(reduction: Reduction, step: string, wait: WaitRecord): PendingEvent | null {
  const { inbox } = reduction.state;
  if (inbox === null) return null;
  const position = inbox.findIndex(
    (kept) => isFor(kept, step) && wait.accepts.includes(kept.event.type) && matchesWhere(wait.where, kept.event),
  );
  if (position < 0) return null;
  return inbox.splice(position, 1)[0] as PendingEvent;
}

function canRun(reduction: Reduction, name: string): boolean {
  const { routing, state } = reduction;
  if (routing.external.some((step) => reachOf(routing, step.name).has(name))) return true;
  const seen = new Set<string>();
  for (const item of state.items.values()) {
    if (seen.has(item.step)) continue;
    seen.add(item.step);
    if (reachOf(routing, item.step).has(name)) return true;
  }
  return (state.timers?.toArray() ?? []).some(
    (timer) =>
      timer.kind === "send" &&
      (routing.routes.get(timer.pendingEvent.event.type)?.steps ?? []).some((step) =>
        reachOf(routing, step.name).has(name),
      ),
  );
}
