import type { RunWatchers } from "./watchers.js";

interface Reading {
  readonly told: number;
  readonly value: Promise<unknown>;
}

/**
 * One read for all who want the same at the same time.
 *
 * Who asks after a change never gets what was asked for before it: what a reader was told of is in what it reads.
 */
export class SharedReads {
  readonly #watchers: RunWatchers;
  readonly #readings: Map<string, Reading> = new Map();

  constructor(watchers: RunWatchers) {
    this.#watchers = watchers;
  }

  get<Value>(what: string, read: () => Promise<Value>): Promise<Value> {
    const { told } = this.#watchers;
    const known = this.#readings.get(what);
    if (known?.told === told) return known.value as Promise<Value>;
    const value = read();
    const reading: Reading = { told, value };
    this.#readings.set(what, reading);
    const forget = (): void => {
      if (this.#readings.get(what) === reading) this.#readings.delete(what);
    };
    value.then(forget, forget);
    return value;
  }
}
