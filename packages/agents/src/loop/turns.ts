import { later } from "../system.js";

interface Turn<Value> {
  /** Rest of the previous turn; `null` if there is none, or it is not over. */
  readonly before: Value | null;
  /** Begins the next turn. Only the first call counts. */
  end(left: Value | null): void;
}

/**
 * Work begins in its order: work that is done at once is over when the next begins, and work that takes longer holds
 * nobody up.
 */
export class Turns<Value> {
  #last: Promise<Value | null> = Promise.resolve(null);

  async next(): Promise<Turn<Value>> {
    const last = this.#last;
    let end: Turn<Value>["end"] = () => {};
    this.#last = new Promise((resolve) => (end = resolve));
    const before = await last;
    later(0, () => end(null));
    return { before, end };
  }
}
