/**
 * When those who wait for runs look again: often after something was asked of a run, and less often the longer nothing was.
 *
 * @module
 */
import type { RunKey } from "millrace/runtime";

type Listener = (key: RunKey | null) => void;

/** After something was asked of a run. */
const SOON_MS = [10, 30, 80];
/** How much longer the pauses get with every look, and how many times as long as the first. */
const GROWTH = 1.2;
const LONGEST = 5;

export class Looks {
  readonly #everyMs: number;
  readonly #listeners: Set<Listener> = new Set();
  #pauseMs: number;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
    this.#pauseMs = everyMs;
  }

  /** Gives the way to stop. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#arm();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  /** Something was asked of this run. */
  soon(key: RunKey): void {
    for (const waitMs of SOON_MS) setTimeout(() => this.tell(key), waitMs);
    this.#pauseMs = this.#everyMs;
    if (this.#timer !== null) this.#arm();
  }

  tell(key: RunKey | null): void {
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
      this.tell(null);
      this.#pauseMs = Math.min(this.#pauseMs * GROWTH, this.#everyMs * LONGEST);
      this.#arm();
    }, this.#pauseMs);
  }
}
