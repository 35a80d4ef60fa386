/** Permits for concurrent runs of a workflow. Waiting runs are served in order of arrival. */
export class Permits {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** `null` for no limit. */
  constructor(count: number | null) {
    this.#free = count ?? Infinity;
  }

  /** Takes a permit if one is free and nobody waits for it. */
  take(): boolean {
    if (this.#free < 1 || this.#waiting.size > 0) return false;
    this.#free--;
    return true;
  }

  /** Calls `granted` once, with a permit taken: at once when one is free. Returns the function that cancels the waiting. */
  wait(granted: () => void): () => void {
    if (this.take()) {
      granted();
      return () => {};
    }
    const waiter = (): void => granted(); // a new function, because the same one may wait twice
    this.#waiting.add(waiter);
    return () => void this.#waiting.delete(waiter);
  }

  /** Returns a permit, which goes to the caller that has waited longest. */
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
