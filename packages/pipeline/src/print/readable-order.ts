/**
 * The order in which events of branches can be read: one speaks at a time.
 *
 * While a step says something, the events of others wait. They follow when it has ended, each step's in one go. The first of
 * them that has not ended either speaks on.
 *
 * @module
 */
import type { Facts, StepEvent } from "./step-event.js";

export type PrintedEvent = Extract<StepEvent, Facts>;

export class ReadableOrder {
  #speaker: PrintedEvent | null = null;
  readonly #waiting: Map<string, PrintedEvent[]> = new Map();
  /** Steps whose end will be told: nothing else ends what they say. */
  readonly #told: Set<string> = new Set();

  /** Gives the events that can be printed now. */
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

  /** Gives all that waits: nobody speaks any more. */
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
    if (speaker !== null && speaker.nesting >= nesting && !this.#told.has(speaker.key)) this.#speaker = null;
    return this.#released();
  }

  /** Steps of the pipeline itself never run at once. */
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
    if (kind === "begins") this.#told.add(key);
    if (kind === "says") this.#speaker = event;
    if (kind === "ends" || kind === "fails") this.#told.delete(key);
    const isOver = kind !== "says" && kind !== "begins" && !this.#told.has(key);
    if (isOver && this.#speaker?.key === key) this.#speaker = null;
  }
}
