/**
 * Writers of one record take turns, so that those of one process do not conflict with each other.
 *
 * A courtesy and not a lock: versions alone decide what is stored. So a step that has waited long continues without its turn.
 *
 * @module
 */
import type { Clock } from "../../../host.js";
import { Deferred } from "../../../system/deferred.js";

const PATIENCE_MS = 10_000;

/** One place in the queue of a record. */
export interface RecordTurn {
  /** Resolves when it has come, was given up, or takes too long. */
  readonly come: Promise<unknown>;
  /** Leaves the queue. May be called again. */
  end(): void;
}

export class RecordQueue {
  readonly #clock: Clock;
  /** By record: resolves when the last turn that was taken is over, and all before it. */
  readonly #last: Map<string, Promise<unknown>> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isTaken(record: string): boolean {
    return this.#last.has(record);
  }

  take(record: string): RecordTurn {
    const before = this.#last.get(record);
    const { promise, resolve } = new Deferred<void>();
    const last = Promise.all([before, promise]).then(() => {
      if (this.#last.get(record) === last) this.#last.delete(record);
    });
    this.#last.set(record, last);
    if (before === undefined) return { come: Promise.resolve(), end: resolve };
    const callOff = this.#clock.setTimer(this.#clock.now() + PATIENCE_MS, resolve);
    return { come: Promise.race([before, promise]).then(callOff), end: resolve };
  }
}
