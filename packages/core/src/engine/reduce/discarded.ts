/**
 * What a stop event leaves undone: reported, because the completed run keeps none of it.
 *
 * Steps that wait for an event, a time or a child are not reported: a run may well end without an answer.
 *
 * @module
 */
import { type DiscardedEvents, makeEngineEvent, WorkDiscardedEvent } from "../../event/built-in-events.js";
import type { EventData, WorkItem } from "../state.js";
import { inputEvents } from "./failure.js";
import { publish, type Reduction } from "./reduction.js";

type Place = Pick<DiscardedEvents, "step" | "status">;

/** @param by The item whose output ends the run. */
export function reportDiscarded(reduction: Reduction, by: object): void {
  const { items, timers, inbox, scopes } = reduction.state;
  const found = new Map<string, DiscardedEvents>();
  const add = ({ type }: EventData, { step, status }: Place): void => {
    const key = `${status} ${step} ${type}`;
    found.set(key, { type, step, status, count: (found.get(key)?.count ?? 0) + 1 });
  };
  for (const item of items.values()) {
    if (item === by || item.status === "suspended") continue;
    const status = hasBegun(reduction, item) ? "running" : "queued";
    for (const event of inputEvents(item)) add(event, { step: item.step, status });
  }
  for (const timer of timers?.toArray() ?? [])
    if (timer.kind === "send") add(timer.pendingEvent.event, { step: timer.pendingEvent.step, status: "delayed" });
  for (const { event, step } of inbox ?? []) add(event, { step, status: "kept" });
  for (const scope of scopes?.values() ?? [])
    for (const [step, { arrivals, fired }] of scope.gathered ?? [])
      if (!fired) for (const { event } of arrivals) add(event, { step, status: "gathered" });
  if (found.size > 0) publish(reduction, makeEngineEvent(WorkDiscardedEvent, { events: [...found.values()] } as never));
}

/** An attempt that this reduction has started does not begin. */
function hasBegun({ commands }: Reduction, { id, attempt, status }: WorkItem): boolean {
  if (attempt === 0) return false;
  if (attempt > 1 || status !== "running") return true;
  return commands?.some((command) => command.type === "attempt.start" && command.item === id) !== true;
}
