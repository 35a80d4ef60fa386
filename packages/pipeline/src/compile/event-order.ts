/** The order in which events were told, over all attempts of a run and all processes that had it. */
import type { RecordedEvent } from "./pipeline-state.types.js";

let lastAtMs = 0;
let count = 0;

/** When an event is told: never before another one that this process has told. */
export function eventTime(): { readonly createdAt: number; readonly createdAtMs: number; readonly eventIndex: number } {
  lastAtMs = Math.max(lastAtMs, Date.now());
  return { createdAt: Math.floor(lastAtMs / 1000), createdAtMs: lastAtMs, eventIndex: ++count };
}

/** Attempts store what they have told when they end. Here it is in the order in which it was told, counted from 0. */
export function inOrder(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return events
    .toSorted((one, other) => compared(one, other, "createdAtMs") || compared(one, other, "eventIndex"))
    .map((event, eventIndex) => ({ ...event, eventIndex }));
}

function compared(one: RecordedEvent, other: RecordedEvent, field: string): number {
  return Number(one[field] ?? 0) - Number(other[field] ?? 0);
}
