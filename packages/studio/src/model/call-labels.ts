/** Labels of durable calls. Only the first tick of a call has it. */
import type { HistoryEntry } from "@millrace/client";

export class CallLabels {
  readonly #byCall = new Map<string, string>();

  /** @param entry The next one of the history. */
  record(entry: HistoryEntry): void {
    const { label } = entry.tick;
    if (typeof label === "string") this.#byCall.set(keyOf(entry), label);
  }

  /** The label of the call that the tick is about; `undefined` if it has none. */
  of(entry: HistoryEntry): string | undefined {
    return this.#byCall.get(keyOf(entry));
  }
}

function keyOf({ runId, item, tick }: HistoryEntry): string {
  return JSON.stringify([runId, item, tick["call"]]);
}
