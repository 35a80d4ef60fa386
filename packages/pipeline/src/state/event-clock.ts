/** Times of events: they never go back, even if the clock of the machine does. */
import type { RecordedEvent } from "./pipeline-state.types.js";

export interface EventTime {
  readonly createdAt: number;
  readonly createdAtMs: number;
  /** Orders events of one millisecond. */
  readonly eventIndex: number;
}

/** Of the events of one run with all runs nested in it, or of those that one reader is shown. */
export class EventClock {
  #lastMs = 0;
  #count = 0;

  /** Events of the past, perhaps of another process: later events come after them. */
  follow(events: Iterable<RecordedEvent>): void {
    for (const { createdAtMs = 0, eventIndex = 0 } of events) {
      this.#lastMs = Math.max(this.#lastMs, Number(createdAtMs));
      this.#count = Math.max(this.#count, Number(eventIndex));
    }
  }

  next(nowMs: number): EventTime {
    this.#lastMs = Math.max(this.#lastMs, nowMs);
    return { createdAt: Math.floor(this.#lastMs / 1000), createdAtMs: this.#lastMs, eventIndex: ++this.#count };
  }
}

/** Attempts store their events when they end. Here events are in the order in which they were emitted, counted from 0. */
export function inOrder(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return events
    .toSorted((one, other) => compared(one, other, "createdAtMs") || compared(one, other, "eventIndex"))
    .map((event, eventIndex) => ({ ...event, eventIndex }));
}

function compared(one: RecordedEvent, other: RecordedEvent, field: keyof EventTime): number {
  return Number(one[field] ?? 0) - Number(other[field] ?? 0);
}
