/** What watches the store through a runtime, until it ends or the runtime stops. */
import type { Clock } from "../../host.js";
import type { RunKey, RunStore } from "../store/run-store.types.js";

export class StoreWatches {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #ends: Set<() => void> = new Set();

  constructor({ store, clock }: { readonly store: RunStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @returns ends it. */
  add(listener: (run: RunKey | null) => void): () => void {
    const letEnd = this.#clock.keepAlive?.();
    const stopWatching = this.#store.watch((key) => listener(key));
    const end = (): void => {
      this.#ends.delete(end);
      stopWatching();
      letEnd?.();
    };
    this.#ends.add(end);
    return end;
  }

  endAll(): void {
    for (const end of this.#ends) end();
  }
}
