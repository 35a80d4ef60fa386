import { PACE_MS } from "./worker-record.js";

const SLOTS = 10;
const SLOT_MS = PACE_MS / SLOTS;

/** Counts runs that got a place lately, by queue: in slots of time, so that it stays small whatever the pace is. */
export class Pace {
  readonly #slots = new Map<string, Map<number, number>>();

  add(queue: string, nowMs: number): void {
    const slots = this.#slots.get(queue) ?? new Map<number, number>();
    this.#slots.set(queue, slots);
    const slot = Math.floor(nowMs / SLOT_MS);
    slots.set(slot, (slots.get(slot) ?? 0) + 1);
    for (const old of slots.keys()) if (Math.abs(old - slot) >= SLOTS) slots.delete(old);
  }

  counts(nowMs: number): { readonly [queue: string]: number } {
    const now = Math.floor(nowMs / SLOT_MS);
    const counts: [string, number][] = [...this.#slots].map(([queue, slots]) => [
      queue,
      [...slots].reduce((sum, [slot, count]) => (Math.abs(now - slot) < SLOTS ? sum + count : sum), 0),
    ]);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }
}
