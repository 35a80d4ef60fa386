/**
 * Orders the events of concurrent branches so that they can be read: one step speaks at a time.
 *
 * While a step streams text, the events of other steps wait. They follow when it has ended, grouped by step. The first
 * of them that has not ended speaks next.
 *
 * @module
 */
import type { Facts, StepEvent } from "./step-event.js";

export type PrintedEvent = Extract<StepEvent, Facts>;

export class ReadableOrder {
  #speaker: PrintedEvent | null = null;
  readonly #waiting: Map<string, PrintedEvent[]> = new Map();
  /** Steps with an end event: only that event ends their text. */
  readonly #begun: Set<string> = new Set();

  /** Returns the events that can be printed now. */
  take(event: StepEvent): PrintedEvent[] {
    if (event.kind === "closes") return this.#close(event.nesting);
    const behind = this.#isBehind(event) ? this.end() : [];
    if (this.#speaker !== null && this.#speaker.key !== event.key) {
      this.#wait(event);
      return behind;
    }
    this.#follow(event);
    return [...behind, event, ...this.#released()];
  }

  /** Returns all waiting events: no step speaks any more. */
  end(): PrintedEvent[] {
    const events: PrintedEvent[] = [];
    while (this.#speaker !== null || this.#waiting.size > 0) {
      this.#speaker = null;
      events.push(...this.#released());
    }
    return events;
  }

  #wait(event: PrintedEvent): void {
    const before = this.#waiting.get(event.key);
    if (before) before.push(event);
    else this.#waiting.set(event.key, [event]);
  }

  #close(nesting: number): PrintedEvent[] {
    const speaker = this.#speaker;
    if (speaker !== null && speaker.nesting >= nesting && !this.#begun.has(speaker.key)) this.#speaker = null;
    return this.#released();
  }

  /** Top-level steps of the pipeline never overlap. */
  #isBehind({ position }: PrintedEvent): boolean {
    const current = this.#speaker?.position ?? null;
    return current !== null && position !== null && position !== current;
  }

  #released(): PrintedEvent[] {
    const events: PrintedEvent[] = [];
    for (const [key, waited] of this.#waiting) {
      if (this.#speaker !== null) break;
      this.#waiting.delete(key);
      for (const event of waited) this.#follow(event);
      events.push(...waited);
    }
    return events;
  }

  #follow(event: PrintedEvent): void {
    const { kind, key } = event;
    if (kind === "begins") this.#begun.add(key);
    if (kind === "says") this.#speaker = event;
    if (kind === "ends" || kind === "fails") this.#begun.delete(key);
    const isOver = kind !== "says" && kind !== "begins" && !this.#begun.has(key);
    if (isOver && this.#speaker?.key === key) this.#speaker = null;
  }
}
