/**
 * The pace at which awaited runs are polled: fast after a request to a run, then ever more slowly.
 *
 * @module
 */
import type { RunKey } from "millrace/runtime";

type Listener = (key: RunKey | null) => void;

/** Delays of the first polls after a request to a run. */
const SOON_MS = [10, 30, 80];
/** Factor by which the pause grows with every poll, and the most that it becomes, as a multiple of the first. */
const GROWTH = 1.2;
const LONGEST = 5;

export class PollSchedule {
  readonly #everyMs: number;
  readonly #listeners: Set<Listener> = new Set();
  #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
    this.#pauseMs = everyMs;
  }

  /** Returns a function that removes the listener. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#arm();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  /** Speeds up the polls of a run, after a request to it. */
  speedUp(key: RunKey): void {
    for (const waitMs of SOON_MS) setTimeout(() => this.notify(key), waitMs);
    this.#pauseMs = this.#everyMs;
    if (this.#timer !== null) this.#arm();
  }

  notify(key: RunKey | null): void {
    for (const listener of this.#listeners) listener(key);
  }

  stop(): void {
    this.#listeners.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.notify(null);
      this.#pauseMs = Math.min(this.#pauseMs * GROWTH, this.#everyMs * LONGEST);
      this.#arm();
    }, this.#pauseMs);
  }
}
