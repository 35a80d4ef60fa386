/** How many runs of a workflow are active at once. First come, first served. */
export class Permits {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** Null: without limit. */
  constructor(count: number | null) {
    this.#free = count ?? Infinity;
  }

  /** Takes a permit when there is one and nobody waits for it. */
  take(): boolean {
    if (this.#free < 1 || this.#waiting.size > 0) return false;
    this.#free--;
    return true;
  }

  /** Calls `granted` once, with a permit taken for it: at once when one is free. Gives the way to call it off. */
  wait(granted: () => void): () => void {
    if (this.take()) {
      granted();
      return () => {};
    }
    const waiter = (): void => granted(); // the same function may wait twice
    this.#waiting.add(waiter);
    return () => void this.#waiting.delete(waiter);
  }

  /** Gives a permit back: the one who has waited longest gets it. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
