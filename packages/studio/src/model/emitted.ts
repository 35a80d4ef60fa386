/** How many events of each type there were up to a tick. */

import type { HistoryEntry, HistoryTick } from "@millrace/client";
import { typeOf } from "./log-entry-text.js";
import { lastUpTo } from "./numbers.js";

interface Count {
  readonly number: number;
  /** Up to and with that tick. */
  readonly total: number;
}

export class Emitted {
  readonly #byType = new Map<string, Count[]>();

  record({ number, tick }: HistoryEntry): void {
    for (const { type } of dispatchedIn(tick)) {
      const counts = this.#byType.get(type) ?? [];
      this.#byType.set(type, counts);
      counts.push({ number, total: (counts.at(-1)?.total ?? 0) + 1 });
    }
  }

  upTo(number: number): Readonly<Record<string, number>> {
    const totals: Record<string, number> = {};
    for (const [type, counts] of this.#byType) {
      const last = counts[lastUpTo(counts, number, (count) => count.number)];
      if (last !== undefined) totals[type] = last.total;
    }
    return totals;
  }
}

/** An event as ticks store it. */
export interface StoredEvent {
  readonly type: string;
  readonly data?: unknown;
}

export function isEvent(value: unknown): value is StoredEvent {
  return typeOf(value) !== null;
}

/** What was dispatched; what is only shown in the stream reaches no step. */
export function dispatchedIn(tick: HistoryTick): readonly StoredEvent[] {
  if (tick.type === "stream.written") return [];
  const sends = (tick["sends"] as readonly { event?: unknown }[] | null | undefined) ?? [];
  return [tick["event"], tick["output"], ...sends.map(({ event }) => event)].flat().filter(isEvent);
}
