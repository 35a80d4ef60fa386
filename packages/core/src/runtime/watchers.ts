/** Who waits for a change of which run. */
export class RunWatchers {
  readonly #byRun: Map<string, Set<() => void>> = new Map();
  readonly #looks: Set<Promise<unknown>> = new Set();
  /** How often anybody was told of anything. */
  told = 0;

  /** Gives the way to stop. */
  add(id: string, watcher: () => void): () => void {
    const all = this.#byRun.get(id) ?? new Set();
    this.#byRun.set(id, all);
    all.add(watcher);
    return () => {
      all.delete(watcher);
      if (all.size === 0) this.#byRun.delete(id);
    };
  }

  /** One of them looks what has become of its run. */
  looking<Found>(look: Promise<Found>): Promise<Found> {
    this.#looks.add(look);
    const forget = (): void => void this.#looks.delete(look);
    look.then(forget, forget);
    return look;
  }

  /** Resolves when those who were told have looked. */
  async looked(): Promise<void> {
    await null; // they look in the next microtask
    await Promise.allSettled(this.#looks);
  }

  has(id: string): boolean {
    return this.#byRun.has(id);
  }

  /** @param id Null: any run may have changed. */
  tell(id: string | null): void {
    this.told++;
    const told = id === null ? [...this.#byRun.values()] : [this.#byRun.get(id) ?? []];
    for (const all of told) for (const watcher of [...all]) watcher();
  }
}
