import { HttpError } from "../http/http-error.js";
import { type Caller, limitOf, type Share, type SharedLimits } from "./caller.js";

export interface SlotLimits extends SharedLimits {
  /** Plural noun of what is counted, such as "streams". */
  readonly what: string;
  /** Code of the refusal. */
  readonly code: string;
  readonly hint: string;
  readonly all: number;
}

/** Begins a message about a share. */
const who: Readonly<Record<Share["of"], string>> = { client: "You have", tenant: "Your tenant has" };

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
    const full = caller.find((share) => this.#openOf(share.key) >= limitOf(share, this.#limits));
    if (this.#open < all && full === undefined) return;
    const detail =
      full === undefined ? `Too many ${what} are open.` : `${who[full.of]} ${this.#openOf(full.key)} open ${what}.`;
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
    for (const { key } of caller) {
      const count = this.#openOf(key) + change;
      if (count > 0) this.#ofCallers.set(key, count);
      else this.#ofCallers.delete(key);
    }
  }
}
