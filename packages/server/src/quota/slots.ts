import { HttpError } from "../http/http-error.js";
import { type Caller, type SharedLimits, sharesOf } from "./caller.js";

export interface SlotLimits extends SharedLimits {
  /** Plural noun of what is counted, such as "streams". */
  readonly what: string;
  /** Code of the refusal. */
  readonly code: string;
  readonly hint: string;
  readonly all: number;
}

/** Counts open slots of one kind: in all, per tenant and per client. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #ofCallers: Map<string, number> = new Map();
  #open = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get open(): number {
    return this.#open;
  }

  /** @throws {HttpError} 429 when no slot is free. */
  assertFree(caller: Caller): void {
    const { what, code, hint, all } = this.#limits;
    const full = sharesOf(caller, this.#limits).find(({ key, limit }) => this.#openOf(key) >= limit);
    if (this.#open < all && full === undefined) return;
    const detail =
      full === undefined ? `Too many ${what} are open.` : `${full.who} ${this.#openOf(full.key)} open ${what}.`;
    throw new HttpError({ status: 429, code, detail, hint, headers: { "retry-after": "1" } });
  }

  /** Takes the slot that `assertFree` has found. Returns the function that frees it; further calls do nothing. */
  take(caller: Caller): () => void {
    this.#count(caller, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(caller, -1);
      isTaken = false;
    };
  }

  #openOf(key: string): number {
    return this.#ofCallers.get(key) ?? 0;
  }

  #count(caller: Caller, change: number): void {
    this.#open += change;
    for (const { key } of sharesOf(caller, this.#limits)) {
      const count = this.#openOf(key) + change;
      if (count > 0) this.#ofCallers.set(key, count);
      else this.#ofCallers.delete(key);
    }
  }
}
