/**
 * Writers of one record take turns, so that those of one process do not conflict with each other.
 *
 * A courtesy and no lock: versions alone decide what is stored. So whoever has waited long continues without a turn.
 *
 * @module
 */
import type { Clock } from "../engine/ports.js";

const PATIENCE_MS = 10_000;

/** One place in the queue of a record. */
export interface Turn {
  /** Resolves when it has come, was given up, or takes too long. */
  readonly come: Promise<void>;
  /** Gives it up. Any number of times. */
  end(): void;
}

export class RecordTurns {
  readonly #clock: Clock;
  /** By record: the first has the turn. */
  readonly #queues: Map<string, Place[]> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isTaken(record: string): boolean {
    return this.#queues.has(record);
  }

  take(record: string): Turn {
    let queue = this.#queues.get(record);
    if (queue === undefined) this.#queues.set(record, (queue = []));
    const place = new Place();
    const isFirst = queue.push(place) === 1;
    if (isFirst) place.go();
    else place.callOff = this.#clock.setTimer(this.#clock.now() + PATIENCE_MS, () => this.#end(record, place));
    return { come: place.come, end: () => this.#end(record, place) };
  }

  #end(record: string, place: Place): void {
    const queue = this.#queues.get(record);
    const index = queue?.indexOf(place) ?? -1;
    if (queue === undefined || index < 0) return;
    queue.splice(index, 1);
    place.go();
    if (queue.length === 0) this.#queues.delete(record);
    else if (index === 0) queue[0]?.go();
  }
}

class Place {
  readonly come: Promise<void>;
  callOff: (() => void) | null = null;
  #resolve: () => void = () => {};

  constructor() {
    this.come = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  go(): void {
    this.callOff?.();
    this.#resolve();
  }
}
